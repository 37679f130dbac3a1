import type { IncomingMessage } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { type Database, type Db, shareDatabase } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import { isLoopbackAddress, isLoopbackName, readHostName } from '@agp/runtime';
import type { Response } from 'express';
import { maxCookies, shareOfSignIns } from '../limits.ts';

const refusal = (seconds: number) => new ApiError('too_many_sign_ins', { headers: { 'Retry-After': String(seconds) } });

export interface SignIns {
  db: Db;
  /**
   * Counts a sign-in or link of a key or person that was found, so that nobody uses up another's limit. Throws ApiError
   * `too_many_sign_ins`.
   */
  admit(holder: string): Promise<void>;
}

export function createSignIns(reading: Database, limit: Throttle, waitMs: number): SignIns {
  return {
    db: shareDatabase(reading, { ...shareOfSignIns, waitMs, refuse: () => refusal(1) })('sign-ins'),
    async admit(holder) {
      const { allowed, retryAfterSeconds } = await limit.consume(holder);
      if (!allowed) throw refusal(retryAfterSeconds);
    },
  };
}

export interface SignInPlace {
  isSecure: boolean;
  hasOrigin(origin: string): boolean;
}

/** With that of `CONSOLE_ORIGIN`; undefined if any is accepted. */
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
 * `CONSOLE_ORIGIN`, or one of this machine's own names, which cannot be made to lead elsewhere. Else null: over plain HTTP on a network the
 * cookie would be readable, and under a name that is not ours another's page may run.
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
 * Whether a request can only come from a page of this very place: by what browsers say of its sender, and for changes by the origin, which
 * they always name.
 */
export function isFromOwnPage({ method, headers }: IncomingMessage, place: SignInPlace): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (headers.origin === undefined) return method === 'GET' || method === 'HEAD';
  return place.hasOrigin(headers.origin);
}

/** `__Host-` makes browsers refuse a cookie that another host of the same domain has set, or that came without TLS. */
const nameOf = (name: string, { isSecure }: Pick<SignInPlace, 'isSecure'>) => (isSecure ? `__Host-${name}` : name);

const sessionName = 'agp_console';

/** Without the prefix in sessions that began under the release before. */
const token = /^(?:ags_)?[\w-]{43}$/;

export function readSessionTokens({ headers }: IncomingMessage, place: SignInPlace): string[] {
  const prefix = `${nameOf(sessionName, place)}=`;
  return (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length))
    .slice(0, maxCookies)
    .filter((value) => token.test(value));
}

export function showsSession({ headers }: IncomingMessage): boolean {
  return headers.authorization === undefined && (headers.cookie ?? '').includes(`${sessionName}=`);
}

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

export const setSessionCookie = (response: Response, value: string, place: SignInPlace): void =>
  setCookie(response, value, place);

export const clearSessionCookie = (response: Response, place: SignInPlace): void => setCookie(response, '', place, 0);
