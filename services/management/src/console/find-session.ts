import { timingSafeEqual } from 'node:crypto';
import { consoleRoleSchema, scopesOfRole } from '@agp/core/contracts';
import { type ConsoleSessionRow, type Db, findConsoleSessions } from '@agp/db';
import { coalesce } from '@agp/runtime/fairness';
import type { Request } from 'express';
import type { ManagementConfig } from '../config.ts';
import { type Caller, toKeyCaller } from '../keys/caller.ts';
import type { KeyFinders } from '../keys/find-keys.ts';
import { digestSecret } from '../keys/issue-secret.ts';
import { readHalf, readSessionTokens } from './session-cookie.ts';
import { findSignInPlace, isFromOwnPage } from './sign-in-place.ts';

/** Finds the caller whose session a request belongs to; undefined where there is none, or it is over. */
export type FindSession = (request: Request) => Promise<Caller | undefined>;

/** Whether a request shows a session rather than a key. */
export function showsSession({ headers }: Request): boolean {
  return headers.authorization === undefined && headers['x-agp-console'] !== undefined;
}

/**
 * A session counts where the browser shows both halves: the cookie, and the page's own in a header that no page of another origin can
 * send. The key that it was begun with must still work.
 */
export function createSessionFinder(db: Db, keys: KeyFinders, config: ManagementConfig): FindSession {
  const makeFinder = () => coalesce((digests: string[]) => findConsoleSessions(db, digests), { maxAsks: 100 });
  const [findForRead, findForChange] = [makeFinder(), makeFinder()];

  async function toCaller(row: ConsoleSessionRow, isRead: boolean): Promise<Caller | undefined> {
    if (row.key_sha256 !== null) {
      const key = await (isRead ? keys.forRead : keys.forChange)(row.key_sha256);
      return key && toKeyCaller(key, row);
    }
    const role = consoleRoleSchema.safeParse(row.role).data;
    // Whoever another provider knew is nobody here.
    if (role === undefined || row.issuer !== config.oidcIssuer) return undefined;
    const id = row.subject ?? '';
    return {
      holder: `${row.issuer} ${id}`,
      actor: { kind: 'person', id, name: row.name },
      secretSha256: row.token_sha256.toString('hex'),
      scopes: new Set(scopesOfRole(role)),
      session: row,
    };
  }

  return async (request) => {
    const place = findSignInPlace(request, config.consoleOrigin);
    const half = readHalf(request);
    if (place === null || half === undefined || !isFromOwnPage(request, place)) return undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const digest = digestSecret(half);
    for (const token of readSessionTokens(request, place)) {
      const row = await (isRead ? findForRead : findForChange)(digestSecret(token).toString('hex'));
      if (row !== undefined && timingSafeEqual(row.half_sha256, digest)) return toCaller(row, isRead);
    }
    return undefined;
  };
}
