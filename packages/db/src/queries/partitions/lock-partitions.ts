import { sql } from 'kysely';
import type { Db } from '../../database.ts';

const key = sql`hashtext('agp:make-partitions')`;

/**
 * Lets nobody else make or remove partitions, or work on a list of them, until the transaction ends. To be taken before the look at
 * what there is.
 */
export async function lockPartitions(transaction: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${key})`.execute(transaction);
}

/** Likewise for work that is several transactions of one connection; {@link lockPartitions} does not wait within it. */
export function withPartitionsLocked<Result>(db: Db, work: (connection: Db) => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`SELECT pg_advisory_lock(${key})`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`SELECT pg_advisory_unlock(${key})`.execute(connection);
    }
  });
}
