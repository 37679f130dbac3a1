import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommandWithin, startTestStack } from '@agp/testing';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { openGuardedDatabase } from './guarded-database.ts';
import { makePartitions } from './maintain/partitions.ts';
import { attachIndexes, migrate } from './migrate.ts';
import { migrationProvider } from './migrations/index.ts';

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
    await owner.pool.query(`INSERT INTO kysely_migration (name, timestamp) VALUES ('0001-initial', 'before')`);
    expect(await run()).toMatchObject({ status: 1, stderr: expect.stringContaining('begin with an empty one') });
    await owner.pool.query(`DELETE FROM kysely_migration WHERE name = '0001-initial'`);
    expect(await attachIndexes(owner.db)).toBe(0);
  } finally {
    await owner.close();
  }
});

test('a reader keeps a migration waiting, and those who come after it for less than half a second', async () => {
  await using stack = await startTestStack();
  const url = stack.databaseUrl;
  const others = openDatabase({ url, applicationName: 'test', maxConnections: 2 });
  const migrating = openGuardedDatabase({ url, applicationName: 'test-migrate', maxConnections: 1 });
  const reader = await others.pool.connect();
  const migrations = await migrationProvider.getMigrations();
  try {
    migrations['9998-planted'] = {
      up: (db) => sql`ALTER TABLE unrecorded_spend ADD COLUMN planted text`.execute(db).then(() => {}),
    };
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
    expect(await migrated).toEqual(['9998-planted']);
    // The next one on the connection waits as long as it likes again.
    const { rows } = await migrating.pool.query('SHOW lock_timeout');
    expect(rows).toEqual([{ lock_timeout: '0' }]);
  } finally {
    delete migrations['9998-planted'];
    reader.release(true);
    await Promise.all([others.close(), migrating.close()]);
  }
});

test('indexes of events are built beside readers and writers, also after a build that was interrupted', async () => {
  await using stack = await startTestStack();
  const database = openDatabase({ url: stack.databaseUrl, applicationName: 'test', maxConnections: 3 });
  const writing = await database.pool.connect();
  try {
    const [partition = ''] = await makePartitions(database.db, new Date(Date.now() + 90 * 86_400_000), 1);
    const plant = () => database.pool.query('CREATE INDEX events_planted ON ONLY events (direction, id)');
    const listInvalid = async () =>
      (
        await database.pool.query(
          `SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
           WHERE relname LIKE 'events%' AND NOT indisvalid`,
        )
      ).rows;
    await plant();
    expect(await listInvalid()).toHaveLength(1);
    // Two builds of the same time, each of which waits for what runs when it begins, and nobody waits for them.
    await writing.query('BEGIN');
    await writing.query('LOCK TABLE events IN ROW EXCLUSIVE MODE');
    const built = Promise.all([attachIndexes(database.db), sleep(100)]);
    await database.pool.query('SELECT FROM events');
    await writing.query('COMMIT');
    const [count] = await built;
    expect(count).toBeGreaterThan(2);
    expect(await listInvalid()).toEqual([]);

    // As a build leaves it that was ended while it ran.
    await database.pool.query('DROP INDEX events_planted');
    await plant();
    const index = `${partition}_planted`;
    await database.pool.query(`CREATE INDEX ${index} ON ${partition} (direction, id)`);
    await database.pool.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${index}'::regclass`);
    expect(await attachIndexes(database.db)).toBe(count);
    expect(await listInvalid()).toEqual([]);
    expect(await attachIndexes(database.db)).toBe(0);
  } finally {
    writing.release();
    await database.close();
  }
});
