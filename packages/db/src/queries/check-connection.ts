import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Rejects when Postgres does not answer. */
export async function checkConnection(db: Db): Promise<void> {
  await sql`SELECT 1`.execute(db);
}
