import { sql } from 'kysely';
import type { Db } from './database.ts';
import { lastMigration } from './migrations/index.ts';

/** Applied migrations that only a later version knows: that version ran before, or runs at the same time. */
export async function listNewerMigrations(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ found: boolean }>`
    SELECT to_regclass('kysely_migration') IS NOT NULL AS found`.execute(db);
  if (!tables[0]?.found) return [];
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM kysely_migration WHERE name COLLATE "C" > ${lastMigration} ORDER BY name`.execute(db);
  return rows.map(({ name }) => name);
}
