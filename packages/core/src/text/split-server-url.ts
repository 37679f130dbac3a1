/**
 * The URL once for each server that it names, in their order: `postgres://user:password@one:5432,two:5432/agp` names two. It splits
 * only; what it gives may be no URL.
 */
export function splitServerUrl(text: string): string[] {
  const [, before, hosts, after] = /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (hosts === undefined) return [text];
  return hosts.split(',').map((host) => `${before}${host.trim()}${after}`);
}
