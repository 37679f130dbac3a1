import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommandWithin, startTestStack } from '@agp/testing';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { attachIndexes, buildIndexes } from './maintain/indexes.ts';
import { makePartitions } from './maintain/partitions.ts';
import { migrate } from './migrate.ts';
import { migrationProvider } from './migrations/index.ts';
import { openGuardedDatabase } from './open-guarded-database.ts';

test('after a rollback, the older migrate leaves the later schema and its privileges alone', async () => {
  await using stack = await startTestStack();
  const { databaseUrl } = stack.urls.migrator;
  const file = join(import.meta.dirname, '../../operator/src/commands/migrate.ts');
  const run = () => runCommandWithin(file, [], { DATABASE_URL: databaseUrl });
  const owner = openDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 1 });
  const readGrants = async () =>
    (await owner.pool.query(`SELECT has_table_privilege('agp_writer', 'later', 'SELECT') AS later`)).rows;
  try {
    await owner.pool.query(`
      INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', 'now');
      CREATE TABLE later (id integer);
      GRANT SELECT ON later TO agp_writer`);
    expect(await run()).toEqual({
      status: 0,
      stdout: 'schema is of a later version and left as it is: it has 9999-later\n',
      stderr: '',
    });
    expect(await readGrants()).toEqual([{ later: true }]);
    await owner.pool.query(`DELETE FROM kysely_migration WHERE name = '9999-later'`);
    expect(await run()).toMatchObject({ status: 0, stdout: 'schema is up to date\n' });
    expect(await readGrants()).toEqual([{ later: false }]);
    expect(await attachIndexes(owner.db)).toBe(0);
  } finally {
    await owner.close();
  }
});

test('a reader keeps a migration waiting, and those who come after it for two seconds at most', async () => {
  await using stack = await startTestStack();
  const url = stack.databaseUrl;
  const others = openDatabase({ url, applicationName: 'test', maxConnections: 2 });
  const migrating = openGuardedDatabase({ url, applicationName: 'test-migrate', maxConnections: 1 });
  const reader = await others.pool.connect();
  try {
    await others.pool.query(
      'DROP SCHEMA IF EXISTS reporting CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public',
    );
    const migrator = new Migrator({ db: others.db, provider: migrationProvider });
    expect((await migrator.migrateTo('0006-retention')).error).toBeUndefined();
    await reader.query('BEGIN; SELECT FROM unrecorded_spend');
    const migrated = migrate(migrating.db, new Date());
    for (const waiting = { count: 0 }; waiting.count === 0; await sleep(20)) {
      const { rows } = await others.pool.query<{ count: number }>(
        `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'test-migrate' AND wait_event_type = 'Lock'`,
      );
      waiting.count = rows[0]?.count ?? 0;
    }
    // Behind a migration that waited on, this would wait for the reader, which waits for it.
    await others.pool.query('SELECT FROM unrecorded_spend');
    await reader.query('COMMIT');
    // The first of them changes that table.
    expect((await migrated)[0]).toBe('0007-positive-sums');
    // The next one on the connection waits as long as it likes again.
    const { rows } = await migrating.pool.query('SHOW lock_timeout');
    expect(rows).toEqual([{ lock_timeout: '0' }]);
  } finally {
    reader.release(true);
    await Promise.all([others.close(), migrating.close()]);
  }
});

test('indexes of events are built beside readers and writers, also after a build that was interrupted', async () => {
  await using stack = await startTestStack();
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'test', maxConnections: 3 });
  const writing = await database.pool.connect();
  try {
    await database.pool.query(
      'DROP SCHEMA IF EXISTS reporting CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public',
    );
    const migrator = new Migrator({ db: database.db, provider: migrationProvider });
    expect((await migrator.migrateTo('0011-removal-roots')).error).toBeUndefined();
    const [partition = ''] = await makePartitions(database.db, new Date(), 1);
    expect((await migrator.migrateTo('0012-failures')).error).toBeUndefined();
    const listInvalid = async () =>
      (
        await database.pool.query(
          `SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
           WHERE relname LIKE 'events%' AND NOT indisvalid`,
        )
      ).rows;
    expect(await listInvalid()).toHaveLength(4);
    // Two builds of the same time, each of which waits for what runs when it begins, and nobody waits for them.
    await writing.query('BEGIN');
    await writing.query('LOCK TABLE events IN ROW EXCLUSIVE MODE');
    const built = Promise.all([attachIndexes(database.db), sleep(100)]);
    await database.pool.query('SELECT FROM events');
    await writing.query('COMMIT');
    expect((await built)[0]).toBe(16);
    expect(await listInvalid()).toEqual([]);

    // As a build leaves it that was ended while it ran.
    await database.pool.query(`DROP INDEX events_by_outcome`);
    await database.pool.query(
      `CREATE INDEX events_by_outcome ON ONLY events (outcome, id) WHERE outcome <> 'completed'`,
    );
    const index = `${partition}_by_outcome`;
    await database.pool.query(`CREATE INDEX ${index} ON ${partition} (outcome, id) WHERE outcome <> 'completed'`);
    await database.pool.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${index}'::regclass`);
    expect(await attachIndexes(database.db)).toBe(4);
    expect(await listInvalid()).toEqual([]);
    expect(await attachIndexes(database.db)).toBe(0);

    const readIndex = async () =>
      (await database.pool.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('sessions_by_agent')`))
        .rows;
    expect(await readIndex()).toEqual([]);
    await buildIndexes(database.db);
    expect(await readIndex()).toEqual([{ indisvalid: true }]);
    await database.pool.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'sessions_by_agent'::regclass`,
    );
    await Promise.all([buildIndexes(database.db), buildIndexes(database.db)]);
    await buildIndexes(database.db);
    expect(await readIndex()).toEqual([{ indisvalid: true }]);
  } finally {
    writing.release();
    await database.close();
  }
});
