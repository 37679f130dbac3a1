import type { IncomingMessage } from 'node:http';
import { ApiError } from '@agp/core/errors';
import { type Database, type Db, shareDatabase } from '@agp/db';
import type { Throttle } from '@agp/reservations';
import { isLoopbackAddress, isLoopbackName, readHostName } from '@agp/runtime';
import { FairShares } from '@agp/runtime/fairness';
import type { Response } from 'express';

/** Sign-ins and links of one key or person in a minute, and tries of one network with the OpenID provider. */
export const signInLimit = { name: 'management-auth:sign-in', points: 100, durationSeconds: 60 };

/** Exchanges with the OpenID provider at once; one network has at most a quarter. */
const maxExchanges = 16;

const refusal = (seconds: number) => new ApiError('too_many_sign_ins', { headers: { 'Retry-After': String(seconds) } });

/** What one key or person may have of the connections. */
const share = { connections: 1, waiting: 100, refuse: () => refusal(1) };

/**
 * What signing in and out of the console may take. It has connections of its own, so that changes, above all the kill switch, never wait
 * for it. Whoever guesses only joins a look-up that all who wait share. Limits count for a key or person that was found, so nobody
 * uses up another's.
 */
export class SignIns {
  /** For look-ups that all who wait share. */
  readonly db: Db;
  readonly #databaseOf: (holder: string) => Db;
  readonly #limit: Throttle;
  readonly #exchanges = new FairShares({ max: maxExchanges });

  /**
   * @param database connections for signing in only
   * @param waitMs longest wait for one of them, in milliseconds
   */
  constructor(database: Database, limit: Throttle, waitMs: number) {
    this.db = database.db;
    this.#databaseOf = shareDatabase(database, { ...share, waitMs });
    this.#limit = limit;
  }

  /** @param holder a key or person that storage knows */
  databaseOf(holder: string): Db {
    return this.#databaseOf(holder);
  }

  /**
   * Counts a sign-in or link of a key or person.
   *
   * @throws ApiError `too_many_sign_ins`
   */
  async admit(holder: string): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.#limit.consume(holder);
    if (!allowed) throw refusal(retryAfterSeconds);
  }

  /**
   * Asks the OpenID provider who somebody is. Nobody knows before, so this counts for the network.
   *
   * @throws ApiError `too_many_sign_ins`; what `ask` throws
   */
  async exchange<Result>(network: string, ask: () => Promise<Result>): Promise<Result> {
    await this.admit(`network ${network}`);
    // Whoever has a /64 of IPv6 has its neighbours too, as a rule: together they hold at most half.
    const holder = { agentId: network, source: network.split(':').slice(0, 3).join(':') };
    if (this.#exchanges.take(holder, 1) !== null) throw refusal(1);
    try {
      return await ask();
    } finally {
      this.#exchanges.giveBack(holder, 1);
    }
  }
}

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
