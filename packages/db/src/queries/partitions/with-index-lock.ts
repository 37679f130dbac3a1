import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';

const key = sql`hashtext('agp:build-indexes')`;
const pauseMs = 200;

/**
 * Builds indexes while nobody else does: what another process is still building looks like what an interrupted one has left. It asks for
 * the lock again and again: a statement that waits for it would keep the build waiting that it waits for.
 */
export function withIndexLock<Result>(db: Db, work: (connection: Db) => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    for (;;) {
      const { rows } = await sql<{ taken: boolean }>`SELECT pg_try_advisory_lock(${key}) AS taken`.execute(connection);
      if (rows[0]?.taken) break;
      await setTimeout(pauseMs);
    }
    try {
      return await work(connection);
    } finally {
      await sql`SELECT pg_advisory_unlock(${key})`.execute(connection);
    }
  });
}
