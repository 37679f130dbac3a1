import { setTimeout } from 'node:timers/promises';
import { toPublicId } from '@agp/core/ids';
import { eventually, startTestStack, waitFor } from '@agp/testing';
import { type ChainEntry, findDivergence, makeEventAt } from '@agp/testing/events';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { openGuardedDatabase } from '../guarded-database.ts';
import { listLineageAnchors } from '../queries/lineage.ts';
import { recordEvents } from '../record-events/record-events.ts';
import { makePartitions } from './partitions.ts';
import { removeOldEvents } from './retention.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A Monday, so that weeks before and after are counted from a border. */
const border = Date.UTC(2026, 5, 1);
/** 14 days later the week before the border is too old, and the one behind it is not. */
const now = new Date(border + 14 * dayMs);
let database: Database;
let databaseUrl = '';

beforeAll(async () => {
  const stack = await startTestStack();
  databaseUrl = stack.databaseUrl;
  database = open('retention-test');
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

beforeEach(async () => {
  await database.pool.query(`
    TRUNCATE events, sessions, lineage_heads, lineage_anchors, daily_usage, hourly_usage, agent_usage,
      hourly_findings, unpriced_usage, agent_last_seen, quarantine, unrecorded_spend, audit_log;
    UPDATE audit_head SET length = 0, hash = 'genesis'`);
  for (const weeks of [-3, 0]) await makePartitions(database.db, new Date(border + weeks * weekMs), 2);
});

function open(applicationName: string): Database {
  return openDatabase({ url: databaseUrl, applicationName, maxConnections: 6, pipeline: true });
}

/** As the command `maintain` has it. */
function openAsCommand(applicationName: string): Database {
  return openGuardedDatabase({ url: databaseUrl, applicationName, maxConnections: 1 });
}

const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(text, values)).rows;

const agentId = toPublicId('agt', '0199a8c7-5d3e-7000-8000-000000000000');
const makeEventIn = (sessionId: string, ms: number) => makeEventAt(ms, { session_id: sessionId, agent_id: agentId });

/** Records one event after the other, so that the chain has this order. */
async function record(sessionId: string, times: readonly number[]): Promise<void> {
  for (const ms of times) await recordEvents(database.pool, [makeEventIn(sessionId, ms)]);
}

async function readChain(sessionId: string): Promise<ChainEntry[]> {
  const rows = await query<ChainEntry & { id: string }>(
    'SELECT id, seq, lineage_hash, payload FROM events WHERE session_id = $1 ORDER BY seq',
    [sessionId],
  );
  return rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
}

const readAnchors = (sessionId: string) => listLineageAnchors(database.db, sessionId);

/** Each chain is whole with its anchors, and the anchors cover as many events as the log says were removed. */
async function expectAccounted(): Promise<void> {
  for (const { session_id, length } of await query<{ session_id: string; length: number }>(
    'SELECT session_id, length FROM lineage_heads',
  )) {
    const [chain, anchors] = [await readChain(session_id), await readAnchors(session_id)];
    expect(findDivergence(session_id, chain, anchors), session_id).toBeNull();
    const gone = anchors.reduce((sum, { first_seq, last_seq }) => sum + last_seq - first_seq + 1, 0);
    expect(chain.length + gone, session_id).toBe(length);
  }
  expect(
    await query(`SELECT (SELECT coalesce(sum(last_seq - first_seq + 1), 0) FROM lineage_anchors) -
      (SELECT coalesce(sum((payload::jsonb #>> '{before,events}')::bigint), 0) FROM audit_log) AS unexplained`),
  ).toEqual([{ unexplained: 0 }]);
}

test('weeks that are too old are removed, and chains continue from their anchors', async () => {
  await record(
    'ses_across',
    [-9 * dayMs, -dayMs, -1, 1, dayMs].map((ms) => border + ms),
  );
  await record('ses_gone', [border - 8 * dayMs, border - 2 * dayMs]);
  await record('ses_young', [border, border + 9 * dayMs]);
  // A request of before the border that ended after one of behind it, and one that came half a year late.
  await record('ses_overlap', [border - 2, border + 1, border - 1, border + 2, border - 26 * weekMs, border + 3]);
  const hashes = new Map((await readChain('ses_overlap')).map(({ seq, lineage_hash }) => [seq, lineage_hash]));
  const heads = await query('SELECT * FROM lineage_heads ORDER BY session_id');

  const told = await removeOldEvents(database.db, now, 14);
  expect(told).toEqual([
    'removed events_2026_05_04 with 0 events',
    'removed events_2026_05_11 with 0 events',
    'removed events_2026_05_18 with 2 events',
    'removed events_2026_05_25 with 5 events',
    'removed 1 events from events_default',
  ]);
  expect((await readChain('ses_across')).map(({ seq }) => seq)).toEqual([3, 4]);
  expect(await readChain('ses_gone')).toEqual([]);
  expect((await readChain('ses_young')).map(({ seq }) => seq)).toEqual([0, 1]);
  expect((await readChain('ses_overlap')).map(({ seq }) => seq)).toEqual([1, 3, 5]);
  expect(await readAnchors('ses_overlap')).toMatchObject(
    [0, 2, 4].map((seq) => ({ first_seq: seq, last_seq: seq, lineage_hash: hashes.get(seq) })),
  );
  expect((await readAnchors('ses_across')).map(({ first_seq, last_seq }) => [first_seq, last_seq])).toEqual([
    [0, 0],
    [1, 2],
  ]);
  expect(await query('SELECT * FROM lineage_heads ORDER BY session_id')).toEqual(heads);
  await expectAccounted();

  // Sessions continue where they were, even one whose events are all gone.
  await record('ses_gone', [border + 5]);
  await record('ses_across', [border + 6]);
  await expectAccounted();
  expect((await readChain('ses_gone')).map(({ seq }) => seq)).toEqual([2]);

  // An anchor that is missing, one that is moved and one that is forged are divergences.
  const [chain, anchors] = [await readChain('ses_overlap'), await readAnchors('ses_overlap')];
  expect(findDivergence('ses_overlap', chain, anchors.slice(1))).toBe(0);
  expect(findDivergence('ses_overlap', chain, anchors.toSpliced(1, 1))).toBe(2);
  expect(findDivergence('ses_overlap', chain.slice(1), anchors)).toBe(1);
});

test('the log names the week, its time and the number of events; messages set aside go at the same age', async () => {
  await record('ses_told', [border - 1, border - 2]);
  const old = new Date(border - dayMs).toISOString();
  await query(
    `INSERT INTO quarantine (code, reason, bytes, received_at) VALUES ('a', 'a', '', $1), ('b', 'b', '', $2)`,
    [old, now.toISOString()],
  );
  await query(
    "INSERT INTO unrecorded_spend (event_id, day, agent_id, cost_usd, reason) SELECT gen_random_uuid(), day, gen_random_uuid(), 1, 'lost' FROM unnest($1::date[]) AS days (day)",
    [['2026-05-31', '2026-06-01']],
  );
  await query(
    `INSERT INTO claimed_bills (provider, bill, event_id, claimed_at) SELECT 'p', bill, gen_random_uuid(), at FROM unnest(
       ARRAY['paid', 'old doubt', 'new doubt'], ARRAY[$1, $1, $2]::timestamptz[]) AS claims (bill, at)`,
    [old, now.toISOString()],
  );
  await removeOldEvents(database.db, now, 14);
  const entries = await query<{ action: string; payload: string }>(
    'SELECT action, payload FROM audit_log ORDER BY seq',
  );
  expect(entries.every(({ action }) => action === 'events.retention')).toBe(true);
  const payloads = entries.map(({ payload }) => JSON.parse(payload));
  expect(payloads.at(-2)).toMatchObject({
    actor: { kind: 'system' },
    target: 'events_2026_05_25',
    before: { from: '2026-05-25T00:00:00.000Z', to: '2026-06-01T00:00:00.000Z', events: 2, sessions: 1 },
    after: null,
  });
  expect(payloads.at(-1)).toMatchObject({
    target: 'quarantine',
    before: { from: null, to: '2026-06-01T00:00:00.000Z', messages: 1 },
  });
  expect(await query('SELECT code FROM quarantine')).toEqual([{ code: 'b' }]);
  expect(await query('SELECT day::text FROM unrecorded_spend')).toEqual([{ day: '2026-06-01' }]);
  expect(await query('SELECT bill FROM claimed_bills ORDER BY 1')).toEqual([{ bill: 'new doubt' }, { bill: 'paid' }]);
});

test('run again, or several at once, it removes each week once', async () => {
  await record('ses_once', [border - 8 * dayMs, border - 1, border]);
  const others = [open('retention-a'), open('retention-b')];
  try {
    const told = await Promise.all([database, ...others].map(({ db }) => removeOldEvents(db, now, 14)));
    expect(told.flat().sort()).toEqual([
      'removed events_2026_05_04 with 0 events',
      'removed events_2026_05_11 with 0 events',
      'removed events_2026_05_18 with 1 events',
      'removed events_2026_05_25 with 1 events',
    ]);
  } finally {
    for (const other of others) await other.close();
  }
  expect(await removeOldEvents(database.db, now, 14)).toEqual([]);
  await expectAccounted();
});

test('a writer that records all the while, into the weeks that go too, loses nothing and leaves no gap', async () => {
  let going = true;
  let recorded = 0;
  const sessions = ['ses_w0', 'ses_w1', 'ses_w2', 'ses_w3'];
  const lanes = sessions.map(async (_, lane) => {
    for (let round = 0; going; round += 1) {
      // Two sessions in each batch, so that lanes meet; times on both sides of the border.
      const pair = [sessions[lane], sessions[(lane + 1) % 4]] as string[];
      const batch = pair.flatMap((id) => [
        makeEventIn(id, border - 1 - ((round * 7 + lane) % 20) * dayMs),
        makeEventIn(id, border + round + lane),
      ]);
      // Slow enough that the chains, which are checked whole, stay short.
      await setTimeout(30);
      for (;;) {
        try {
          const result = await recordEvents(database.pool, batch);
          recorded += result.recorded.length;
          break;
        } catch (error) {
          if ((error as { code?: string }).code !== '40P01') throw error;
        }
      }
    }
  });
  const remover = openAsCommand('retention-under-load');
  try {
    for (let round = 0; round < 3; round += 1) {
      const before = recorded;
      await waitFor('events before the removal', () => recorded > before + 20);
      await removeOldEvents(remover.db, now, 14);
      // The weeks come back with each run, as if they had just become old.
      await makePartitions(remover.db, new Date(border - 3 * weekMs), 2);
    }
  } finally {
    going = false;
    await Promise.all(lanes);
    await remover.close();
  }
  await removeOldEvents(database.db, now, 14);
  await expectAccounted();
  const [{ total } = { total: 0 }] = await query<{ total: number }>('SELECT sum(length) AS total FROM lineage_heads');
  expect(total).toBe(recorded);
  expect(await query('SELECT sum(event_count) AS total FROM daily_usage')).toEqual([{ total }]);
});

test('killed half-way it leaves everything as it was; a long query makes it wait, and no other statement', async () => {
  await record('ses_crash', [border - 8 * dayMs, border - 1, border]);
  const reader = await database.pool.connect();
  const remover = openAsCommand('retention-crash');
  const findWaiting = async () => {
    const [found] = await query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'retention-crash' AND wait_event_type = 'Lock'
           AND query LIKE '%ACCESS EXCLUSIVE%'`,
    );
    return found?.pid;
  };
  const waiting = () =>
    eventually(async () => {
      const pid = await findWaiting();
      expect(pid).toBeDefined();
      return pid;
    });
  /** It gave up, to try again later. */
  const untilNotWaiting = () => eventually(async () => expect(await findWaiting()).toBeUndefined());
  try {
    await reader.query('BEGIN; SELECT count(*) FROM events');
    const before = await query(`SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'events'::regclass`);
    const removal = removeOldEvents(remover.db, now, 14);
    const failed = expect(removal).rejects.toThrow();
    await query('SELECT pg_terminate_backend($1)', [await waiting()]);
    await failed;
    expect(
      await query(`SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'events'::regclass`),
    ).toEqual(before);
    expect(
      await query('SELECT session_id, first_seq FROM lineage_anchors UNION ALL SELECT action, seq FROM audit_log'),
    ).toEqual([]);

    const again = removeOldEvents(remover.db, now, 14);
    await waiting();
    // The reader still has its lock, and this is recorded.
    await record('ses_crash', [border + 1]);
    await untilNotWaiting();
    await reader.query('COMMIT');
    expect(await again).toContain('removed events_2026_05_25 with 1 events');
  } finally {
    reader.release(true);
    await remover.close();
  }
  await expectAccounted();
});
