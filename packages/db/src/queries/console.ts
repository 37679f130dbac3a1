import type { Team } from '@agp/core/contracts';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';

interface ConsoleCode {
  codeSha256: Buffer;
  keySha256: Buffer;
  expiresAt: Date;
}

const now = sql<Date>`clock_timestamp()`;

/** Stores a code, and removes expired ones. */
export async function createConsoleCode(transaction: Db, code: ConsoleCode): Promise<void> {
  await transaction.deleteFrom('console_codes').where('expires_at', '<=', now).execute();
  await transaction
    .insertInto('console_codes')
    .values({ code_sha256: code.codeSha256, key_sha256: code.keySha256, expires_at: code.expiresAt })
    .execute();
}

/** The digests of the keys' secrets of these codes, by digest of the code in hex, as far as the codes still work. */
export async function findConsoleCodes(db: Db, digests: readonly string[]): Promise<Map<string, Buffer>> {
  const rows = await db
    .selectFrom('console_codes')
    .select(['code_sha256', 'key_sha256'])
    .where('code_sha256', '=', sql<Buffer>`ANY (${digests.map((hex) => Buffer.from(hex, 'hex'))}::bytea[])`)
    .where('expires_at', '>', now)
    .execute();
  return new Map(rows.map((row) => [row.code_sha256.toString('hex'), row.key_sha256]));
}

/** Uses a code up: of several that come with it at once, one gets an answer. Returns false for one that is unknown, used or expired. */
export async function takeConsoleCode(db: Db, codeSha256: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('console_codes')
    .where('code_sha256', '=', codeSha256)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export type ConsoleSessionRow = Selectable<Schema['console_sessions']>;

const idleMinutes = 30;

const isLiveConsoleSession = sql<boolean>`
  expires_at > clock_timestamp() AND last_used_at > clock_timestamp() - make_interval(mins => ${idleMinutes})`;

/** Finds sessions by hex digests. Never cached: a session that was ended is gone at once. */
export async function findConsoleSessions(db: Db, digests: readonly string[]): Promise<Map<string, ConsoleSessionRow>> {
  const rows = await db
    .selectFrom('console_sessions')
    .selectAll()
    .where('token_sha256', '=', sql<Buffer>`ANY (${digests.map((hex) => Buffer.from(hex, 'hex'))}::bytea[])`)
    .where(isLiveConsoleSession)
    .execute();
  return new Map(rows.map((row) => [row.token_sha256.toString('hex'), row]));
}

export function listConsoleSessions(db: Db): Promise<ConsoleSessionRow[]> {
  return db
    .selectFrom('console_sessions')
    .selectAll()
    .where(isLiveConsoleSession)
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute();
}

/** The holder of an API key, by the digest of the key's secret, or a person, as an OpenID provider names them. */
export type SessionOwner = { keySha256: Buffer } | { issuer: string; subject: string };

interface NewConsoleSession {
  id: string;
  tokenSha256: Buffer;
  owner: SessionOwner;
  name: string;
  role: string;
  match: Team | null;
  sourceIp: string;
  expiresAt: Date;
}

/** Sessions of one key's holders or one person: beyond that the one that was unused longest ends. */
const mostOfOwner = 50;

/** Stores a session, and removes old ones. `ended` are the sessions that ended because the owner had too many. */
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
      key_sha256: keySha256,
      issuer,
      subject,
      name: session.name,
      role: session.role,
      match: session.match && JSON.stringify(session.match),
      source_ip: session.sourceIp,
      expires_at: session.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { created, ended };
}

/** Ends a session for good; undefined if there is none. */
export function endConsoleSession(db: Db, id: string): Promise<ConsoleSessionRow | undefined> {
  return db.deleteFrom('console_sessions').where('id', '=', id).returningAll().executeTakeFirst();
}

export async function touchConsoleSession(db: Db, id: string, usedAt: Date): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ last_used_at: usedAt })
    .where('id', '=', id)
    .where('last_used_at', '<', usedAt)
    .execute();
}
