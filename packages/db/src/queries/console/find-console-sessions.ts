import { type Selectable, sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';

export type ConsoleSessionRow = Selectable<Schema['console_sessions']>;

/** A session that nobody uses ends after this long. */
const idleMinutes = 30;

/** Neither expired nor idle for too long. */
export const isLiveConsoleSession = sql<boolean>`
  expires_at > clock_timestamp() AND last_used_at > clock_timestamp() - make_interval(mins => ${idleMinutes})`;

/**
 * The sessions with these digests of their tokens, in hex, unless they have expired. Never cached: one that was ended is gone at once.
 * Whether a key's secret still works is not looked at.
 */
export async function findConsoleSessions(db: Db, digests: readonly string[]): Promise<Map<string, ConsoleSessionRow>> {
  const rows = await db
    .selectFrom('console_sessions')
    .selectAll()
    .where('token_sha256', '=', sql<Buffer>`ANY (${digests.map((hex) => Buffer.from(hex, 'hex'))}::bytea[])`)
    .where(isLiveConsoleSession)
    .execute();
  return new Map(rows.map((row) => [row.token_sha256.toString('hex'), row]));
}

/** All sessions that have not expired, the latest used first. */
export function listConsoleSessions(db: Db): Promise<ConsoleSessionRow[]> {
  return db
    .selectFrom('console_sessions')
    .selectAll()
    .where(isLiveConsoleSession)
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute();
}
