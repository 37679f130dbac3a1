import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Db } from './database.ts';
import { type Patience, tryForLocks } from './maintain/locks.ts';
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
  const applied = await applyMigrations(db);
  // Before anything else: services use new tables as soon as they see the migration.
  await applyGrants(db);
  await makePartitions(db, now);
  return applied;
}

/** Short waits, often: under load a lock is free for a moment many times a second. */
const patience: Patience = { tries: 60, pauseMs: 500 };

/** Each in a transaction of its own, so that the locks of one do not last until the end of all: requests wait for them. */
async function applyMigrations(connection: Db): Promise<string[]> {
  // All who come after it wait as well, and proxies refuse requests whose admission takes longer than 900 ms.
  await sql`SET lock_timeout = '400ms'`.execute(connection);
  try {
    const migrator = new Migrator({ db: connection, provider: migrationProvider });
    const applied: string[] = [];
    const applyNext = async () => {
      const { error, results = [] } = await migrator.migrateUp();
      if (error !== undefined) throw error;
      return results;
    };
    for (;;) {
      const results = await tryForLocks(connection, 'the schema cannot be changed now', applyNext, patience);
      if (results.length === 0) return applied;
      applied.push(...results.map(({ migrationName }) => migrationName));
    }
  } finally {
    await sql`RESET lock_timeout`.execute(connection);
  }
}

const key = sql`hashtext('agp:build-indexes')`;
const pauseMs = 200;

/** What another process still builds looks like what an interrupted one left, so one builds at a time. */
function withIndexLock<Result>(db: Db, work: (connection: Db) => Promise<Result>): Promise<Result> {
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

interface MissingIndex {
  parent: string;
  partition: string;
  name: string;
  definition: string;
  /** A build of it was interrupted. */
  isBroken: boolean;
}

/**
 * Builds the indexes that a migration has made `ON ONLY events` on each partition that lacks them, without keeping readers or writers
 * waiting. Not within a transaction, nor while this connection holds what others wait for. Returns how many were built; throws
 * TableInUseError.
 */
export async function attachIndexes(db: Db): Promise<number> {
  return await withIndexLock(db, async (connection) => {
    for (let built = 0; ; built += 1) {
      const missing = await findMissing(connection);
      if (missing === undefined) return built;
      await tryForLocks(connection, `${missing.name} cannot be built now`, () => build(connection, missing));
    }
  });
}

async function findMissing(db: Db): Promise<MissingIndex | undefined> {
  const { rows } = await sql<MissingIndex>`
    WITH missing AS (
      SELECT whole.relname AS parent, part.relname AS partition, part.oid,
        left(part.relname, 20) || substr(whole.relname, 7, 43) AS name,
        substring(pg_get_indexdef(index.indexrelid) FROM ' (USING .*)$') AS definition
      FROM pg_index AS index
      JOIN pg_class AS whole ON whole.oid = index.indexrelid
      JOIN pg_inherits AS parts ON parts.inhparent = index.indrelid
      JOIN pg_class AS part ON part.oid = parts.inhrelid
      WHERE index.indrelid = 'events'::regclass AND NOT index.indisvalid AND NOT EXISTS (
        SELECT FROM pg_inherits AS attached JOIN pg_index AS its ON its.indexrelid = attached.inhrelid
        WHERE attached.inhparent = index.indexrelid AND its.indrelid = part.oid
      )
    )
    SELECT parent, partition, name, definition, EXISTS (
      SELECT FROM pg_index AS its JOIN pg_class AS own ON own.oid = its.indexrelid
      WHERE its.indrelid = missing.oid AND own.relname = name AND NOT its.indisvalid
    ) AS "isBroken"
    FROM missing ORDER BY partition DESC, parent LIMIT 1`.execute(db);
  return rows[0];
}

async function build(db: Db, { parent, partition, name, definition, isBroken }: MissingIndex): Promise<void> {
  if (isBroken) await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.id(name)}`.execute(db);
  await sql`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${sql.id(name)} ON ${sql.id(partition)} ${sql.raw(definition)}`.execute(
    db,
  );
  await sql`ALTER INDEX ${sql.id(parent)} ATTACH PARTITION ${sql.id(name)}`.execute(db);
}
