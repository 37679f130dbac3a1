import { randomUUIDv7 } from 'node:crypto';
import { firstUuidAt, fromPublicId, toPublicId, uuidTime } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { makeEvent } from '@agp/testing/events';
import { beforeAll, expect, test } from 'vitest';
import {
  addRefusals,
  addUnrecordedSpend,
  type Database,
  openDatabase,
  readAgentBudgets,
  readGlobalBudget,
  recordEvents,
  registerAgent,
  rollUpRefusals,
  sealRefusals,
} from '../index.ts';

const dayMs = 86_400_000;
let database: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  database = openDatabase({
    url: stack.databaseUrl,
    applicationName: 'reporting-test',
    maxConnections: 2,
    pipeline: true,
  });
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await database.pool.query<Row>(text, values)).rows;
}

/** @returns its UUID */
async function addAgent(name: string, capUsd: number | null): Promise<string> {
  const id = randomUUIDv7();
  await registerAgent(database.pool, { id, name, sourceIp: '10.0.0.1', tokenId: null });
  await query('UPDATE agents SET daily_cap_usd = $2 WHERE id = $1', [id, capUsd]);
  return id;
}

function makeEventAt(ms: number, agentId: string, nanoUsd: number) {
  const id = firstUuidAt(ms).slice(0, 13) + randomUUIDv7().slice(13);
  return makeEvent({
    id: toPublicId('evt', id),
    agent_id: toPublicId('agt', agentId),
    session_id: toPublicId('ses', id),
    timestamp: new Date(ms).toISOString(),
    cost_nano_usd: nanoUsd,
  });
}

test('ids are those of the API, and times those of ids', async () => {
  const ids = [...Array.from({ length: 50 }, () => randomUUIDv7()), `ffffffff-ffff-7fff-bfff-${'f'.repeat(12)}`];
  const rows = await query<{ shown: string; ms: number; first: string }>(
    `SELECT reporting.public_id('agt', id) AS shown, extract(epoch FROM reporting.id_time(id)) * 1000 AS ms,
            reporting.first_id_at(reporting.id_time(id)) AS first
     FROM unnest($1::uuid[]) WITH ORDINALITY AS given (id, place) ORDER BY place`,
    [ids.slice(0, 50)],
  );
  expect(rows.map(({ shown }) => fromPublicId('agt', shown))).toEqual(ids.slice(0, 50));
  expect(rows.map(({ ms }) => ms)).toEqual(ids.slice(0, 50).map(uuidTime));
  expect(rows.map(({ first }) => first)).toEqual(ids.slice(0, 50).map((id) => firstUuidAt(uuidTime(id))));
  const [largest] = await query<{ shown: string }>(`SELECT reporting.public_id('evt', $1) AS shown`, [ids[50]]);
  expect(largest?.shown).toBe(toPublicId('evt', ids[50] as string));
});

test('events of a time are read from its partitions alone, whatever else is asked of them', async () => {
  const now = Date.now();
  const agentId = await addAgent('reader', null);
  await recordEvents(
    database.pool,
    [0, 1, 2].map((minutes) => makeEventAt(now - minutes * 60_000, agentId, 1_000)),
  );
  const [from, to] = [new Date(now - 90_000).toISOString(), new Date(now + 1_000).toISOString()];
  const rows = await query<{ agent_name: string }>(
    `SELECT agent_name FROM reporting.events_between('${from}', '${to}') WHERE agent_name = 'reader'`,
  );
  expect(rows).toEqual([{ agent_name: 'reader' }, { agent_name: 'reader' }]);

  for (const bounds of [`'${from}', '${to}'`, "now() - interval '90 seconds', now()"]) {
    const plan = await query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
       SELECT event_id, cost_usd FROM reporting.events_between(${bounds}) ORDER BY event_key DESC LIMIT 100`,
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).not.toContain('Function Scan');
    // A week ends somewhere between the two at most once; the default partition may hold anything of either.
    const scanned = new Set(text.match(/ on (events_\w+)/g));
    expect(scanned.size, text).toBeLessThanOrEqual(3);
    expect(scanned.size, text).toBeGreaterThanOrEqual(1);
  }
});

test('budgets are those of the API, lost and quarantined events included', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const [capped, free, zero] = [
    await addAgent('capped', 0.01),
    await addAgent('free', null),
    await addAgent('zero', 0),
  ];
  await recordEvents(database.pool, [
    makeEventAt(Date.now(), capped, 4_000_001),
    makeEventAt(Date.now(), free, 7),
    makeEventAt(Date.now() - 2 * dayMs, capped, 900_000_000),
  ]);
  await addUnrecordedSpend(database.pool, [
    { eventId: randomUUIDv7(), agentId: capped, day: today, costNanoUsd: 500_000, reason: 'lost', request: null },
  ]);
  await query('UPDATE control SET global_cap_usd = 5');
  const shown = await query<{ agent_name: string }>(
    `SELECT agent_id, agent_name, daily_cap_usd, warn_only, spent_usd, remaining_usd
     FROM reporting.budgets_today WHERE agent_name = ANY ($1)`,
    [['capped', 'free', 'zero']],
  );
  const expected = await readAgentBudgets(database.db, today, [capped, free, zero], []);
  const plain = expected.map(({ reserved_usd, metadata, no_room_since, ...row }) => ({
    ...row,
    agent_id: toPublicId('agt', row.agent_id),
  }));
  const byName = (rows: { agent_name?: unknown }[]) => Object.fromEntries(rows.map((row) => [row.agent_name, row]));
  expect(byName(shown)).toEqual(byName(plain));
  expect(byName(shown).capped).toMatchObject({ spent_usd: 0.004500001, remaining_usd: 0.005499999 });

  const { reserved_usd, ...globalBudget } = await readGlobalBudget(database.db, today, []);
  const columns = 'daily_cap_usd, warn_only, spent_usd, remaining_usd';
  expect(await query(`SELECT ${columns} FROM reporting.budgets_today WHERE scope = 'global'`)).toEqual([globalBudget]);
  expect(
    await query(
      `SELECT agent_name, round(used_ratio, 4) AS used FROM reporting.budgets_today
                 WHERE agent_name = ANY ($1) ORDER BY 1`,
      [['capped', 'free', 'zero']],
    ),
  ).toEqual([
    { agent_name: 'capped', used: 0.45 },
    { agent_name: 'free', used: null },
    { agent_name: 'zero', used: 1 },
  ]);
});

test('a refusal is counted once, before it is in the log and after', async () => {
  const agentId = await addAgent('refused', null);
  const minute = Math.floor(Date.now() / 60_000 - 3) * 60_000;
  const refusal = { minute, sourceIp: '10.0.0.2', refusedAt: minute + 5, requests: [] };
  await addRefusals(database.pool, [
    { ...refusal, agentId, reason: 'agent_blocked', count: 3 },
    { ...refusal, agentId: null, reason: 'unknown_provider', count: 2 },
    { ...refusal, agentId: null, reason: 'malformed_request', count: 4 },
  ]);
  const expected = [
    { agent_name: 'refused', reason: 'agent_blocked', refusal_count: 3 },
    { agent_name: null, reason: 'malformed_request', refusal_count: 4 },
    { agent_name: null, reason: 'unknown_provider', refusal_count: 2 },
  ];
  const read = () =>
    query(`SELECT agent_name, reason, refusal_count FROM reporting.refusals
           WHERE minute BETWEEN now() - interval '1 hour' AND now() ORDER BY reason`);
  expect(await read()).toEqual(expected);
  while ((await sealRefusals(database.db)) > 0);
  expect(await query('SELECT 1 FROM refusal_counts')).toEqual([]);
  expect(await read()).toEqual(expected);

  // By the minute for a day, then by the hour.
  const hour = new Date(Math.floor(minute / 3_600_000) * 3_600_000);
  const readTotals = () =>
    query(`SELECT DISTINCT since FROM reporting.refusal_totals`).then(async (times) => ({
      times,
      totals: await query(`SELECT agent_name, reason, sum(refusal_count) AS refusal_count FROM reporting.refusal_totals
        GROUP BY 1, 2 ORDER BY reason`),
    }));
  expect(await readTotals()).toEqual({ times: [{ since: new Date(minute) }], totals: expected });
  for (const days of [0.5, 1.5, 1.5]) {
    await rollUpRefusals(database.db, new Date(Date.now() + days * dayMs));
    const since = days < 1 ? new Date(minute) : hour;
    expect(await readTotals()).toEqual({ times: [{ since }], totals: expected });
  }
  await addRefusals(database.pool, [{ ...refusal, agentId, reason: 'agent_blocked', count: 4 }]);
  while ((await sealRefusals(database.db)) > 0);
  await rollUpRefusals(database.db, new Date(Date.now() + 2 * dayMs));
  const [first, ...others] = expected;
  expect(await readTotals()).toEqual({ times: [{ since: hour }], totals: [{ ...first, refusal_count: 7 }, ...others] });
});

test('the health of recording says until when there are partitions, and how many events are outside them', async () => {
  const read = async () => {
    const [row] = await query<{ partitions_end: Date; default_partition_events: number; last_event_at: Date }>(
      'SELECT * FROM reporting.recording_health',
    );
    if (!row) throw new Error('no row');
    return row;
  };
  const before = await read();
  const weeksAhead = (before.partitions_end.getTime() - Date.now()) / (7 * dayMs);
  expect(weeksAhead).toBeGreaterThan(8);
  expect(weeksAhead).toBeLessThanOrEqual(9);
  expect(before).toMatchObject({ quarantine_waiting: 0, default_partition_events: 0 });
  const agentId = await addAgent('ahead', null);
  const far = Date.now() + 30 * 7 * dayMs;
  await recordEvents(database.pool, [makeEventAt(far, agentId, 1)]);
  expect(await read()).toMatchObject({ default_partition_events: 1, last_event_at: new Date(far) });
});

test('an agent that is retired leaves the active ones, and stays among all', async () => {
  await addAgent('leaver', null);
  const list = (view: string) => query(`SELECT status FROM reporting.${view} WHERE agent_name = 'leaver'`);
  expect(await list('active_agents')).toEqual([{ status: 'active' }]);
  await query("UPDATE agents SET status = 'retired' WHERE name = 'leaver'");
  expect(await list('active_agents')).toEqual([]);
  expect(await list('agents')).toEqual([{ status: 'retired' }]);
});
