import { sql } from 'kysely';
import type { Db } from '../../database.ts';

const key = sql`hashtext('agp:make-partitions')`;

/** Keeps others from making, removing or listing partitions until the transaction ends. Take it before looking at them. */
export async function lockPartitions(transaction: Db): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${key})`.execute(transaction);
}

/** The same for several transactions on one connection; {@link lockPartitions} does not wait within it. */
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
