import { timingSafeEqual } from 'node:crypto';
import type { AuditActor } from '@agp/core/audit';
import {
  type ConsoleRole,
  type ConsoleSession,
  consoleRoleSchema,
  roleOfScopes,
  type Scope,
  scopesOfRole,
  type Team,
} from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import {
  appendAudit,
  type ConsoleSessionRow,
  createConsoleSession,
  type Db,
  endConsoleSession,
  findConsoleSessions,
  type NewAuditEntry,
  type SessionOwner,
} from '@agp/db';
import { toPlainAddress } from '@agp/runtime';
import { coalesce } from '@agp/runtime/fairness';
import type { ManagementConfig } from '@agp/settings';
import type { Request } from 'express';
import { type Caller, digestSecret, issueSecret, type KeyFinders, toKeyCaller } from '../keys.ts';
import { sessionMs } from '../limits.ts';
import { presentConsoleSession } from '../presenters.ts';
import { findSignInPlace, isFromOwnPage, readSessionTokens } from './sign-ins.ts';

interface SignIn {
  owner: SessionOwner;
  actor: Extract<AuditActor, { id: string }>;
  role: ConsoleRole;
  match: Team | null;
  method: 'api_key' | 'link' | 'oidc';
  /** The session that the browser had before: it ends. */
  before: Caller | undefined;
}

/**
 * Stores a new session and ends those that it replaces, each with its entry in the audit log. Returns the token for the cookie, 256 random
 * bits; only the digest is stored.
 */
export async function beginSession(
  db: Db,
  request: Request,
  { owner, actor, role, match, method, before }: SignIn,
): Promise<{ token: string; session: ConsoleSessionRow }> {
  const { id, secret: token, secretSha256: tokenSha256 } = issueSecret('ags_');
  const expiresAt = new Date(Date.now() + sessionMs);
  const sourceIp = toPlainAddress(request.ip);
  const session = await db.transaction().execute(async (transaction) => {
    const replaced = before?.session && (await endConsoleSession(transaction, before.session.id));
    const { created, ended } = await createConsoleSession(transaction, {
      id,
      tokenSha256,
      owner,
      name: actor.name,
      role,
      match,
      sourceIp: sourceIp ?? '',
      expiresAt,
    });
    await appendAudit(transaction, [
      ...[...(replaced ? [replaced] : []), ...ended].map(
        (row): NewAuditEntry => ({
          actor,
          source_ip: sourceIp,
          action: 'console.replace',
          agent_id: null,
          target: toPublicId('con', row.id),
          before: presentConsoleSession(row),
          after: null,
          count: 1,
        }),
      ),
      {
        actor,
        source_ip: sourceIp,
        action: 'console.sign_in',
        agent_id: null,
        target: toPublicId('con', id),
        before: null,
        after: {
          method,
          role,
          match,
          expires_at: expiresAt.toISOString(),
          ...('issuer' in owner && { issuer: owner.issuer }),
        },
        count: 1,
      },
    ]);
    return created;
  });
  return { token, session };
}

export async function endSession(db: Db, request: Request, { actor, session }: Caller): Promise<void> {
  if (session === undefined) return;
  await db.transaction().execute(async (transaction) => {
    // Another tab may have been faster.
    if ((await endConsoleSession(transaction, session.id)) === undefined) return;
    await appendAudit(transaction, [
      {
        actor,
        source_ip: toPlainAddress(request.ip),
        action: 'console.sign_out',
        agent_id: null,
        target: toPublicId('con', session.id),
        before: null,
        after: null,
        count: 1,
      },
    ]);
  });
}

export type FindSession = (request: Request) => Promise<Caller | undefined>;

/** The cookie counts in requests of our own page alone. The key that the session was begun with must still work. */
export function createSessionFinder(db: Db, keys: KeyFinders, config: ManagementConfig): FindSession {
  const makeFinder = () => coalesce((digests: string[]) => findConsoleSessions(db, digests), { maxAsks: 100 });
  const [findForRead, findForChange] = [makeFinder(), makeFinder()];

  async function toCaller(row: ConsoleSessionRow, isRead: boolean): Promise<Caller | undefined> {
    if (row.key_sha256 !== null) {
      const key = await (isRead ? keys.forRead : keys.forChange)(row.key_sha256);
      return key && toKeyCaller(key, row);
    }
    const role = consoleRoleSchema.safeParse(row.role).data;
    // A person that another provider knew is nobody here.
    if (role === undefined || row.issuer !== config.oidcIssuer) return undefined;
    const id = row.subject ?? '';
    return {
      holder: `${row.issuer} ${id}`,
      actor: { kind: 'person', id, name: row.name },
      secretSha256: row.token_sha256.toString('hex'),
      scopes: new Set(scopesOfRole(role)),
      match: row.match,
      session: row,
    };
  }

  return async (request) => {
    const place = findSignInPlace(request, config.consoleOrigin);
    if (place === null || !isFromOwnPage(request, place)) return undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    for (const token of readSessionTokens(request, place)) {
      const digest = digestSecret(token);
      const row = await (isRead ? findForRead : findForChange)(digest.toString('hex'));
      // As with keys: compared once more in constant time.
      if (row !== undefined && timingSafeEqual(row.token_sha256, digest)) return toCaller(row, isRead);
    }
    return undefined;
  };
}

/** What the page is told of its session; of nobody's if `caller` has none. */
export function presentSession(caller: Caller | undefined, config: ManagementConfig): ConsoleSession {
  const oidc = config.oidcIssuer !== undefined;
  if (caller?.session === undefined) return { signed_in: false, oidc };
  const isPerson = caller.actor.kind === 'person';
  return {
    signed_in: true,
    oidc,
    kind: isPerson ? 'oidc' : 'api_key',
    name: caller.actor.name,
    role: isPerson ? consoleRoleSchema.parse(caller.session.role) : roleOfScopes(caller.scopes),
    scopes: [...caller.scopes] as Scope[],
    match: caller.match,
    expires_at: caller.session.expires_at.toISOString(),
    proxy_url: config.consoleProxyAddress ?? null,
    edition: config.edition,
  };
}
