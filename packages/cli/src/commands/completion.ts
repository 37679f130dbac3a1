import { Argument, type Command } from 'commander';
import { addCommand } from '../add-command.ts';
import { listPlaces } from '../completion/list-places.ts';
import { type ShellName, shells, writeCompletion } from '../completion/write-completion.ts';
import type { Shell } from '../create-shell.ts';

const help = `
The script is for a command named agp. In bash and zsh, this makes it and completes it:
  agp() { npm run -s agp -- "$@"; }
  source <(agp completion bash)
and in fish:
  function agp; npm run -s agp -- $argv; end
  agp completion fish | source`;

/** `completion`: a script for the user's shell. */
export function addCompletionCommand(program: Command, shell: Shell): void {
  addCommand(
    program,
    'completion',
    'print a script that completes commands and options in bash, zsh or fish',
    'completion bash',
  )
    .addArgument(new Argument('<shell>', 'the shell that it is for').choices(shells))
    .addHelpText('after', help)
    .action((name: ShellName) => shell.terminal.print(writeCompletion(name, listPlaces(program)).trimEnd()));
}
