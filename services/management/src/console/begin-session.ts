import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { AuditActor } from '@agp/core/audit';
import type { ConsoleRole } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import {
  appendAudit,
  type ConsoleSessionRow,
  createConsoleSession,
  type Db,
  endConsoleSession,
  type NewAuditEntry,
  type SessionOwner,
} from '@agp/db';
import { toPlainAddress } from '@agp/runtime';
import type { Request } from 'express';
import type { Caller } from '../keys/caller.ts';
import { digestSecret } from '../keys/issue-secret.ts';
import { presentConsoleSession } from '../presenters/present-console-session.ts';

/** A session ends after this long, used or not: a working day. */
const longestMs = 12 * 3_600_000;

/** Who signs in, and how they showed who they are. */
export interface SignIn {
  owner: SessionOwner;
  actor: Extract<AuditActor, { id: string }>;
  role: ConsoleRole;
  method: 'api_key' | 'link' | 'oidc';
  /** Digest of the page's half. */
  halfSha256: Buffer;
  /** The session that the browser had before: it ends. */
  before: Caller | undefined;
}

/**
 * Stores a new session, with its entry in the audit log, and one for each session that ends for it.
 *
 * @returns the token for the cookie, 256 random bits of which only the digest is stored, and the session
 */
export async function beginSession(
  db: Db,
  request: Request,
  { owner, actor, role, method, halfSha256, before }: SignIn,
): Promise<{ token: string; session: ConsoleSessionRow }> {
  const token = randomBytes(32).toString('base64url');
  const id = randomUUIDv7();
  const expiresAt = new Date(Date.now() + longestMs);
  const sourceIp = toPlainAddress(request.ip);
  const session = await db.transaction().execute(async (transaction) => {
    const replaced = before?.session && (await endConsoleSession(transaction, before.session.id));
    const { created, ended } = await createConsoleSession(transaction, {
      id,
      tokenSha256: digestSecret(token),
      halfSha256,
      owner,
      name: actor.name,
      role,
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

/** Ends the caller's session in storage, with its entry in the audit log. */
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
