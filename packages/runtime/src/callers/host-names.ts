import { isIP } from 'node:net';

/** Names that mean the machine itself wherever they are looked up; the last two are those of Docker and Podman for a container's host. */
const ownNames = new Set(['localhost', '[::1]', 'host.docker.internal', 'host.containers.internal']);

/** The name in a `Host` header: in small letters, without the port and a closing dot. */
export function readHostName(host: string): string {
  const name = /^(?:\[[^\]]*\]|[^:]*)/.exec(host.trim().toLowerCase())?.[0] ?? '';
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Whether a name can mean nothing but this machine. Nobody outside can make any of these point here, or anywhere. */
export const isLoopbackName = (name: string): boolean =>
  ownNames.has(name) || name.endsWith('.localhost') || /^127(?:\.\d{1,3}){1,3}$/.test(name);

/** Whether `HOST`, an address or a name to listen on, is one that only this machine can connect to. */
export const isLoopbackAddress = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/.test(host);

/** Whether a name is an address, which no name server can make another of; the one that means any address is none. */
export const isPlainAddress = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, '')) !== 0 && name !== '0.0.0.0' && name !== '[::]';
