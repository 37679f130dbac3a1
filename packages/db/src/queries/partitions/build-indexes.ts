import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { tryForLocks } from './try-for-locks.ts';
import { withIndexLock } from './with-index-lock.ts';

/** Indexes of tables that may be large when they get them, so that no migration can make them in its transaction. */
const wanted = {
  // For lists of one agent's sessions.
  sessions_by_agent: 'sessions (agent_id, started_at DESC, id) WHERE started_at IS NOT NULL',
};

/**
 * Builds them where they are missing, without keeping readers or writers waiting, also after a build that was interrupted. Not within a
 * transaction.
 *
 * @throws TableInUseError
 */
export function buildIndexes(db: Db): Promise<void> {
  return withIndexLock(db, async (connection) => {
    for (const [name, on] of Object.entries(wanted))
      await tryForLocks(connection, `${name} cannot be built now`, () => build(connection, name, on));
  });
}

async function build(db: Db, name: string, on: string): Promise<void> {
  const { rows } = await sql<{ isWhole: boolean }>`
    SELECT indisvalid AS "isWhole" FROM pg_index WHERE indexrelid = to_regclass(${name})`.execute(db);
  if (rows[0]?.isWhole) return;
  await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(name)}`.execute(db);
  await sql`CREATE INDEX CONCURRENTLY ${sql.id(name)} ON ${sql.raw(on)}`.execute(db);
}
