import { isIP } from 'node:net';

/** Names that mean this machine wherever they are looked up; the last two are Docker's and Podman's names for a container's host. */
const ownNames = new Set(['localhost', '[::1]', 'host.docker.internal', 'host.containers.internal']);

/** The name in a `Host` header: in lower case, without the port and a trailing dot. */
export function readHostName(host: string): string {
  const name = /^(?:\[[^\]]*\]|[^:]*)/.exec(host.trim().toLowerCase())?.[0] ?? '';
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** True for a name that can only mean this machine: nobody can register it and make it point here. */
export const isLoopbackName = (name: string): boolean =>
  ownNames.has(name) || name.endsWith('.localhost') || /^127(?:\.\d{1,3}){1,3}$/.test(name);

/** True for an address to listen on, as in `HOST`, that only this machine can connect to. */
export const isLoopbackAddress = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/.test(host);

/** True for an IP address, which no name server can redirect. The one that means any address does not count. */
export const isPlainAddress = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, '')) !== 0 && name !== '0.0.0.0' && name !== '[::]';
