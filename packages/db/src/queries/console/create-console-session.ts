import type { Db } from '../../database.ts';
import { type ConsoleSessionRow, isLiveConsoleSession } from './find-console-sessions.ts';

/** Whom a session is of: the holder of an API key, by the digest of the key's secret, or a person, as an OpenID provider names them. */
export type SessionOwner = { keySha256: Buffer } | { issuer: string; subject: string };

export interface NewConsoleSession {
  /** UUID */
  id: string;
  tokenSha256: Buffer;
  halfSha256: Buffer;
  owner: SessionOwner;
  /** Of the key, or of the person. */
  name: string;
  role: string;
  sourceIp: string;
  expiresAt: Date;
}

/** Sessions that one key's holders or one person may have at once: beyond that the one that was used longest ago ends. */
const mostOfOwner = 50;

/**
 * Stores a session, and removes those that are over.
 *
 * @returns the session, and those that ended for it because its owner had too many
 */
export async function createConsoleSession(
  transaction: Db,
  session: NewConsoleSession,
): Promise<{ created: ConsoleSessionRow; ended: ConsoleSessionRow[] }> {
  const { owner } = session;
  const isKeys = 'keySha256' in owner;
  const [keySha256, issuer, subject] = isKeys ? [owner.keySha256, null, null] : [null, owner.issuer, owner.subject];
  await transaction
    .deleteFrom('console_sessions')
    .where(({ not }) => not(isLiveConsoleSession))
    .execute();
  const ended = await transaction
    .deleteFrom('console_sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('console_sessions')
        .select('id')
        .where((own) =>
          isKeys
            ? own('key_sha256', '=', owner.keySha256)
            : own.and([own('issuer', '=', owner.issuer), own('subject', '=', owner.subject)]),
        )
        .orderBy('last_used_at', 'desc')
        .offset(mostOfOwner - 1),
    )
    .returningAll()
    .execute();
  const created = await transaction
    .insertInto('console_sessions')
    .values({
      id: session.id,
      token_sha256: session.tokenSha256,
      half_sha256: session.halfSha256,
      key_sha256: keySha256,
      issuer,
      subject,
      name: session.name,
      role: session.role,
      source_ip: session.sourceIp,
      expires_at: session.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { created, ended };
}
