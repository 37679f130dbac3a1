/** The start and the end of a long id or hash: enough to tell two apart. */
export function shortenId(id: string, ends = 6): string {
  const prefix = /^(?:[a-z]{3}_|sha256:)/.exec(id)?.[0] ?? '';
  const rest = id.slice(prefix.length);
  return rest.length <= 2 * ends + 1 ? id : `${prefix}${rest.slice(0, ends)}…${rest.slice(-ends)}`;
}
