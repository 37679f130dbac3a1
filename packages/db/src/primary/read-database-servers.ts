import { splitServerUrl } from '@agp/core/text';
import type { DatabaseServer } from './primary-finder.ts';

/** The servers of a URL, at least one: `postgres://user:password@one:5432,two:5432/name`. The port is 5432 unless given. */
export function readDatabaseServers(text: string): [DatabaseServer, ...DatabaseServer[]] {
  const [first = text, ...others] = splitServerUrl(text);
  return [toServer(first), ...others.map(toServer)];
}

function toServer(url: string): DatabaseServer {
  const { hostname = '', port = '' } = URL.parse(url) ?? {};
  return { url, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) };
}
