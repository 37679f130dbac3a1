/** `onError` and `onFailure` make a log call of their last argument, in the proxy's warnings and in the writer. */
const calls = /\b(?:log(?:ger)?\.(?:info|warn|error|fatal)|onError|onFailure)\(/g;

/** The messages of a source's log calls that are printed at the usual level: the text that ends a call, without what is put into it. */
export function findLogMessages(source: string): string[] {
  return [...source.matchAll(calls)].flatMap(({ index, 0: { length } }) => {
    const written = takeArguments(source.slice(index + length));
    const [, , message] = /(['"`])((?:\\.|(?!\1).)*)\1,?\s*$/s.exec(written) ?? [];
    return message === undefined ? [] : [message];
  });
}

/** Up to the bracket that closes the call; one within a text is none. */
function takeArguments(rest: string): string {
  let depth = 1;
  for (const { 0: token, index } of rest.matchAll(/(['"`])(?:\\.|(?!\1).)*\1|[()]/gs)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth === 0) return rest.slice(0, index);
  }
  return '';
}
