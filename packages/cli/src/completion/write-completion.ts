import { listValueFlags, type Place } from './list-places.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof shells)[number];

/** A text in single quotes, for bash and zsh. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const quoteFish = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** Options whose values are known, with the place where they are. */
const listChoices = (places: readonly Place[]) =>
  places.flatMap(({ path, options }) =>
    options.filter(({ values }) => values.length > 0).map(({ flag, values }) => ({ at: `${path} ${flag}`, values })),
  );

const listPaths = (places: readonly Place[]) => places.map(({ path }) => path).filter((path) => path !== '');

const writeBash = (
  places: readonly Place[],
) => `# Completion of agp for bash. In ~/.bashrc: source <(agp completion bash)
_agp() {
  local word at= flag= words= cur=\${COMP_WORDS[COMP_CWORD]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$flag" ]; then flag=; continue; fi
    case $word in
      ${listValueFlags(places).join('|')}) flag=$word; continue ;;
    esac
    case "$at $word" in
      ${listPaths(places).map(quote).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at $flag" in
${listChoices(places)
  .map(({ at, values }) => `    ${quote(at)}) words=${quote(values.join(' '))} ;;\n`)
  .join('')}    *' --key-file') local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    *' --'*) return ;;
    *) case $at in
${places
  .map(({ path, words, options }) => {
    const all = [...words.map(({ name }) => name), ...options.map(({ flag }) => flag)];
    return `      ${quote(path)}) words=${quote(all.join(' '))} ;;\n`;
  })
  .join('')}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _agp agp
`;

const writeZsh = (
  places: readonly Place[],
) => `# Completion of agp for zsh. In ~/.zshrc, after compinit: source <(agp completion zsh)
_agp() {
  local word at= flag=
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $flag ]]; then flag=; continue; fi
    case $word in
      (${listValueFlags(places).join('|')}) flag=$word; continue ;;
    esac
    case "$at $word" in
      (${listPaths(places).map(quote).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at $flag" in
${listChoices(places)
  .map(({ at, values }) => `    (${quote(at)}) compadd -- ${values.join(' ')}; return ;;\n`)
  .join('')}    (*' --key-file') _files; return ;;
    (*' --'*) return ;;
  esac
  case $at in
${places
  .map(({ path, words, options }) => {
    const list = (entries: [string, string][]) =>
      entries.map(([name, text]) => quote(text === '' ? name : `${name}:${text}`)).join(' ');
    const commands = list(words.map(({ name, description }) => [name, description]));
    const flags = list(options.map(({ flag, description }) => [flag, description]));
    return `    (${quote(path)}) commands=(${commands}) options=(${flags}) ;;\n`;
  })
  .join('')}  esac
  (( $#commands )) && _describe -t commands command commands
  [[ $#commands -eq 0 || $PREFIX == -* ]] && _describe -o -t options option options
}
compdef _agp agp
`;

const writeFish = (places: readonly Place[]) => {
  const complete = (path: string, rest: string) =>
    `complete -c agp -n ${quoteFish(`__agp_is ${quoteFish(path)}`)} ${rest}\n`;
  return `# Completion of agp for fish: agp completion fish > ~/.config/fish/completions/agp.fish
function __agp_is
    set -l at ''
    set -l flag ''
    for word in (commandline -opc)[2..-1]
        if test -n "$flag"
            set flag ''
            continue
        end
        if contains -- $word ${listValueFlags(places).join(' ')}
            set flag $word
        else if contains -- "$at $word" ${listPaths(places).map(quoteFish).join(' ')}
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c agp -f
${places
  .flatMap(({ path, words, options }) => [
    ...words.map(({ name, description }) =>
      complete(path, `-a ${name}${description === '' ? '' : ` -d ${quoteFish(description)}`}`),
    ),
    ...options.map(({ flag, description, takesValue, values }) => {
      const known = values.length > 0 ? ` -a ${quoteFish(values.join(' '))}` : '';
      const value = takesValue ? (flag === '--key-file' ? ' -r -F' : ` -x${known}`) : '';
      return complete(path, `-l ${flag.slice(2)}${value} -d ${quoteFish(description)}`);
    }),
  ])
  .join('')}`;
};

/** A script that teaches a shell the program's commands, options, and the values that are known. */
export function writeCompletion(shell: ShellName, places: readonly Place[]): string {
  return { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell](places);
}
