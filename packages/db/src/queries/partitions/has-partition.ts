import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** Whether `events` has a partition of this name now. `to_regclass` might answer from before the connection waited for a lock. */
export async function hasPartition(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (
      SELECT FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'events'::regclass AND relname = ${name}
    ) AS found`.execute(db);
  return rows[0]?.found ?? false;
}
