import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { SignInPlace } from './sign-in-place.ts';

/** Names of cookies: `__Host-` makes browsers refuse one that another host of the same domain has set, or that came without TLS. */
const nameOf = (name: string, { isSecure }: Pick<SignInPlace, 'isSecure'>) => (isSecure ? `__Host-${name}` : name);

const sessionName = 'agp_console';

/** Values of one cookie that are looked at; a browser sends several if somebody has set one for another path. */
const mostValues = 4;

const token = /^[\w-]{43}$/;

/** The tokens of sessions that a request carries, at most four. */
export function readSessionTokens({ headers }: IncomingMessage, place: SignInPlace): string[] {
  const prefix = `${nameOf(sessionName, place)}=`;
  return (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length))
    .slice(0, mostValues)
    .filter((value) => token.test(value));
}

/** @param maxAge in seconds; until the browser closes if not given */
function setCookie(response: Response, value: string, place: SignInPlace, maxAge?: number): void {
  response.append(
    'Set-Cookie',
    [
      `${nameOf(sessionName, place)}=${value}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      ...(place.isSecure ? ['Secure'] : []),
      ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ].join('; '),
  );
}

/** Sets the cookie, which no script can read. */
export const setSessionCookie = (response: Response, value: string, place: SignInPlace): void =>
  setCookie(response, value, place);

export const clearSessionCookie = (response: Response, place: SignInPlace): void => setCookie(response, '', place, 0);

/** The page's half of a session, `X-Agp-Console`; undefined where there is none. */
export function readHalf({ headersDistinct }: IncomingMessage): string | undefined {
  const [half, ...more] = headersDistinct['x-agp-console'] ?? [];
  return half !== undefined && more.length === 0 && token.test(half) ? half : undefined;
}
