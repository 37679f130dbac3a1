import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Db } from './database.ts';
import { attachIndexes } from './maintain/indexes.ts';
import { tryForLocks } from './maintain/locks.ts';
import { makePartitions, withPartitionsLocked } from './maintain/partitions.ts';
import { lastMigration, migrationProvider } from './migrations/index.ts';
import { applyGrants } from './roles/grants.ts';

/** Migrations that only a later version knows. Throws for a schema of before the baseline. */
export async function listNewerMigrations(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ found: boolean }>`
    SELECT to_regclass('kysely_migration') IS NOT NULL AS found`.execute(db);
  if (!tables[0]?.found) return [];
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM kysely_migration WHERE name COLLATE "C" > ${lastMigration} OR name = '0001-initial' ORDER BY name`.execute(
    db,
  );
  if (rows.some(({ name }) => name === '0001-initial'))
    throw new Error('the database is of a version before 0.3.0, which is not migrated: begin with an empty one');
  return rows.map(({ name }) => name);
}

/**
 * Brings the schema up to date, makes the coming weeks' partitions, and gives every role exactly its privileges. Safe to run several times
 * at once, and while `maintain` runs. The schema of a later version stays as it is: its services may still run. Returns the migrations that
 * were applied; throws TableInUseError.
 */
export async function migrate(db: Db, now: Date): Promise<string[]> {
  const applied = await withPartitionsLocked(db, (connection) => migrateLocked(connection, now));
  // Services run with the new schema meanwhile.
  await attachIndexes(db);
  return applied;
}

async function migrateLocked(db: Db, now: Date): Promise<string[]> {
  if ((await listNewerMigrations(db)).length > 0) {
    await makePartitions(db, now);
    return [];
  }
  const applied = await tryForLocks(db, 'the schema cannot be changed now', () => applyMigrations(db));
  // Before anything else: services use new tables as soon as they see the migration.
  await applyGrants(db);
  await makePartitions(db, now);
  return applied;
}

async function applyMigrations(connection: Db): Promise<string[]> {
  await sql`SET lock_timeout = '2s'`.execute(connection);
  try {
    const { error, results } = await new Migrator({ db: connection, provider: migrationProvider }).migrateToLatest();
    if (error !== undefined) throw error;
    return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
  } finally {
    await sql`RESET lock_timeout`.execute(connection);
  }
}
