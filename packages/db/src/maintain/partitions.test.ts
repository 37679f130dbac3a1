import { randomUUIDv7 } from 'node:crypto';
import { toPublicId } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { findDivergence, makeEventAt } from '@agp/testing/events';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { recordEvents } from '../record-events/record-events.ts';
import { makePartitions } from './partitions.ts';
import { removeOldEvents } from './retention.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;
let databaseUrl = '';

beforeAll(async () => {
  const stack = await startTestStack();
  databaseUrl = stack.databaseUrl;
  return () => stack[Symbol.asyncDispose]();
});

function open(maxConnections: number): Database {
  const options = { url: databaseUrl, applicationName: 'partition-test', maxConnections };
  const database = openDatabase({ ...options, pipeline: true });
  onTestFinished(() => database.close());
  return database;
}

async function listPartitions({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1`,
  );
  return rows.map((row) => row.name);
}

test('several that migrate an empty database at once all succeed, and leave one schema', async () => {
  // One connection each, as the commands have.
  const databases = [open(1), open(1), open(1)];
  const [database] = databases as [Database];
  for (let round = 0; round < 3; round += 1) {
    await database.pool.query(
      'DROP SCHEMA IF EXISTS reporting CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public',
    );
    const applied = await Promise.all(databases.map(({ db }) => migrate(db, new Date())));
    expect(applied.flat().length).toBe(new Set(applied.flat()).size);
    expect(await listPartitions(database)).toHaveLength(11);
  }
});

test('several that make the same partitions at once make each once', async () => {
  const databases = [open(1), open(1), open(1)];
  const later = new Date(Date.now() + 100 * weekMs);
  const made = await Promise.all(databases.map(({ db }) => makePartitions(db, later)));
  expect(made.flat()).toHaveLength(10);
  expect(new Set(made.flat()).size).toBe(10);
});

test('a migration succeeds while others make and remove partitions', async () => {
  const [migrating, maintaining] = [open(1), open(1)] as [Database, Database];
  const now = new Date();
  const years = (count: number) => new Date(now.getTime() + count * 52 * weekMs);
  let going = true;
  const maintain = async () => {
    while (going) {
      await makePartitions(maintaining.db, years(-3));
      await removeOldEvents(maintaining.db, now, 364);
    }
  };
  const maintained = maintain();
  try {
    for (let round = 0; round < 8; round += 1) await Promise.race([migrate(migrating.db, now), maintained]);
  } finally {
    going = false;
    await Promise.allSettled([maintained]);
  }
  await maintained;
});

test('events that came before their partition are moved to it, in an unbroken chain, and no week is held up', async () => {
  const database = open(4);
  const now = new Date();
  await makePartitions(database.db, now);
  const agentId = toPublicId('agt', randomUUIDv7());
  const [thisWeek, ahead, farAhead] = [0, 9, 40].map((weeks) =>
    makeEventAt(now.getTime() + weeks * weekMs, { session_id: 'ses_ahead', agent_id: agentId }),
  );
  const events = [thisWeek, ahead, farAhead].filter((event) => event !== undefined);
  await recordEvents(database.pool, events);
  const readHome = async () => {
    const { rows } = await database.pool.query('SELECT tableoid::regclass::text AS home, * FROM events ORDER BY seq');
    return rows.map(({ home, ...row }) => ({ home: home as string, row }));
  };
  const before = await readHome();
  expect(before.map(({ home }) => home === 'events_default')).toEqual([false, true, true]);

  const made = await makePartitions(database.db, new Date(now.getTime() + 2 * weekMs));
  expect(made).toHaveLength(2);
  const after = await readHome();
  expect(after.map(({ row }) => row)).toEqual(before.map(({ row }) => row));
  expect(after.map(({ home }) => home)).toEqual([before[0]?.home, made[0], 'events_default']);
  const chain = after.map(({ row }) => ({ ...row, event_id: toPublicId('evt', row.id) }));
  expect(findDivergence('ses_ahead', chain)).toBeNull();

  // Delivered again, the event is found where it is now; and a moved table has every index of the others.
  await recordEvents(database.pool, events);
  expect(await readHome()).toHaveLength(3);
  const { rows: indexes } = await database.pool.query<{ count: number }>(
    'SELECT count(*) FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid WHERE indrelid = ANY ($1::regclass[]) GROUP BY indrelid',
    [made],
  );
  const { rows: wanted } = await database.pool.query(
    `SELECT count(*) FROM pg_index WHERE indrelid = 'events'::regclass`,
  );
  expect(wanted[0]?.count).toBeGreaterThan(6);
  expect(indexes).toEqual([...wanted, ...wanted]);
});
