import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress, isLoopbackName, readHostName } from '@agp/runtime';

/** An address at which a browser may be signed in. */
export interface SignInPlace {
  /** The cookie is only sent over TLS. */
  isSecure: boolean;
  /** Whether a page of this origin is ours. */
  hasOrigin(origin: string): boolean;
}

/** The names that callers may use, with that of `CONSOLE_ORIGIN`; undefined where any is accepted. */
export function listAllowedHosts(config: {
  host: string;
  allowedHosts?: readonly string[] | undefined;
  consoleOrigin?: string | undefined;
}): string[] | undefined {
  const { host, allowedHosts, consoleOrigin } = config;
  if (allowedHosts === undefined && !isLoopbackAddress(host)) return undefined;
  return [...(allowedHosts ?? []), ...(consoleOrigin === undefined ? [] : [new URL(consoleOrigin).hostname])];
}

const ownSchemes = /^https?:\/\//;

/**
 * The place that a browser has come to: `CONSOLE_ORIGIN`, or one of this machine's own names, which cannot be made to lead elsewhere.
 * Null elsewhere: over plain HTTP on a network the cookie would be readable, and under a name that is not ours another's page may run.
 *
 * @param consoleOrigin as configured
 */
export function findSignInPlace(
  { headersDistinct }: IncomingMessage,
  consoleOrigin: string | undefined,
): SignInPlace | null {
  const [host, ...more] = headersDistinct.host ?? [];
  if (host === undefined || more.length > 0) return null;
  if (consoleOrigin !== undefined && new URL(consoleOrigin).host === host.toLowerCase())
    return { isSecure: consoleOrigin.startsWith('https:'), hasOrigin: (origin) => origin === consoleOrigin };
  if (!isLoopbackName(readHostName(host))) return null;
  return {
    isSecure: false,
    hasOrigin: (origin) => ownSchemes.test(origin) && origin.replace(ownSchemes, '') === host.toLowerCase(),
  };
}

/**
 * Whether a request can only come from a page of this very place: what browsers say of its sender, and for changes the sender's origin,
 * which they always name.
 */
export function isFromOwnPage({ method, headers }: IncomingMessage, place: SignInPlace): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (headers.origin === undefined) return method === 'GET' || method === 'HEAD';
  return place.hasOrigin(headers.origin);
}
