import { agentListSchema, type Status, type StatusWindow, statusSchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { addRefusals } from '@agp/db';
import { expect, test } from 'vitest';
import { StatusReader } from '../src/reads/status-reader.ts';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();
let spender: string;
const now = new Date();

const read = () => management.read('/api/v1/status', statusSchema);
/** A reader that shares no answer with another call. */
const readNow = (sources: Partial<ConstructorParameters<typeof StatusReader>[0]> = {}, window: StatusWindow = '1h') =>
  new StatusReader({
    dbOf: () => management.database.db,
    reasons: () => [],
    without: () => [],
    pingRedis: async () => 'PONG',
    partMs: 60_000,
    ...sources,
  }).read(window);
const stateOf = ({ services }: Status, name: string) => services?.find((service) => service.name === name)?.state;

test('of an empty installation claims nothing that is not known', async () => {
  const status = await read();
  expect(status).toMatchObject({
    pause: { paused: false },
    recording: { last_recorded_at: null, lag_ms: null, quarantine_waiting: 0 },
    requests: { request_count: 0, failed: 0, refused: 0, refused_by: [], is_more: false },
    spend: { spent_usd: 0, daily_cap_usd: null, agents_near_cap: [], agents_near_cap_count: 0 },
    ...{
      top_spenders: [],
      agents: { active: 0, blocked: 0 },
      pii: [],
      unpriced_models: { count: 0, latest: [] },
    },
    unavailable: [],
  });
  const states = status.services?.map(({ name, state }) => `${name} ${state}`);
  expect(states).toEqual([
    'management ready',
    'postgres ready',
    'nats ready',
    'redis ready',
    'writer unknown',
    'proxy unknown',
  ]);
});

test('tells what was used, spent, refused, blocked and found', async () => {
  spender = await seedAgent(management.database, 'spender\u001b[2J');
  const blocked = await seedAgent(management.database, 'blocked-one');
  const at = now.toISOString();
  await seedEvents(management.database, [
    makeEvent(spender, 'ses_status', at, { cost_nano_usd: 900_000_000, outcome: 'failed', http_status: 502 }),
    makeEvent(spender, 'ses_status', at, {
      cost_nano_usd: 50_000_000,
      outcome: 'killed',
      pii_detected: true,
      pii_types: ['email'],
    }),
    makeEvent(spender, 'ses_status', at, { model: 'nobody-knows', price_version: null, cost_nano_usd: 0 }),
    ...[400, 599, 399, 200].map((http_status) =>
      makeEvent(spender, 'ses_status', at, { outcome: 'completed', http_status, cost_nano_usd: 0 }),
    ),
    // Counted once, as aborted.
    makeEvent(spender, 'ses_status', at, { outcome: 'aborted', http_status: 500, cost_nano_usd: 0 }),
    // Long ago: in no part but the agents.
    makeEvent(blocked, 'ses_old', '2026-01-01T00:00:00.000Z', { outcome: 'completed', http_status: 500 }),
    makeEvent(blocked, 'ses_old', '2026-01-01T00:00:00.000Z', {
      outcome: 'failed',
      pii_detected: true,
      pii_types: ['iban'],
    }),
  ]);
  expect((await management.send('PUT', `/api/v1/budgets/agents/${spender}`, { daily_cap_usd: 1 })).status).toBe(200);
  expect((await management.send('PUT', '/api/v1/budgets/global', { daily_cap_usd: 5 })).status).toBe(200);
  expect((await management.send('PUT', `/api/v1/agents/${blocked}`, { status: 'blocked' })).status).toBe(200);
  const minute = now.getTime() - (now.getTime() % 60_000);
  await addRefusals(management.database.pool, [
    {
      minute,
      agentId: fromPublicId('agt', blocked),
      reason: 'agent_blocked',
      count: 7,
      sourceIp: '10.0.0.1',
      refusedAt: now.getTime(),
      requests: [],
    },
  ]);
  const status = await readNow();
  expect(status.unavailable).toEqual([]);
  expect(status).toMatchObject({
    requests: {
      request_count: 8,
      // Its failure, and the answers with 400 and 599.
      failed: 3,
      aborted: 1,
      killed: 1,
      refused: 7,
      refused_by: [{ reason: 'agent_blocked', count: 7 }],
    },
    spend: {
      ...{ spent_usd: 0.95, daily_cap_usd: 5, agents_near_cap_count: 1 },
      agents_near_cap: [
        { agent_id: spender, agent_name: 'spender\u001b[2J', spent_usd: 0.95, daily_cap_usd: 1, warn_only: false },
      ],
    },
    top_spenders: [{ agent_id: spender, cost_usd: 0.95, request_count: 8 }],
    agents: { active: 1, blocked: 1, retired: 0, latest_blocked: [{ agent_id: blocked, agent_name: 'blocked-one' }] },
    pii: [{ type: 'email', event_count: 1 }],
  });
  expect(status.recording?.lag_ms).toBeGreaterThanOrEqual(0);
  expect(statusSchema.parse(status)).toEqual(status);
  const listed = await management.read('/api/v1/agents?expand=usage', agentListSchema);
  expect(listed.find(({ id }) => id === spender)).toMatchObject({
    last_seen_at: at,
    cost_today_usd: 0.95,
    requests_today: 8,
  });
  expect(listed.find(({ id }) => id === blocked)).toMatchObject({ cost_today_usd: 0, requests_today: 0 });
  expect((await management.read('/api/v1/agents', agentListSchema))[0]).not.toHaveProperty('cost_today_usd');
  await management.send('PUT', `/api/v1/agents/${spender}`, { status: 'retired' });
  // What still spends is not left out.
  expect((await readNow()).top_spenders).toMatchObject([{ agent_id: spender }]);
  await management.send('PUT', `/api/v1/agents/${spender}`, { status: 'active' });
});

test('is of the window that was asked for, with refusals that the log has summed up by hour', async () => {
  const { pool } = management.database;
  const at = new Date(now.getTime() - 3 * 86_400_000);
  await seedEvents(management.database, [
    makeEvent(spender, 'ses_days', at.toISOString(), { cost_nano_usd: 2e9, pii_detected: true, pii_types: ['phone'] }),
  ]);
  await pool.query(
    `INSERT INTO hourly_refusals VALUES (date_trunc('hour', $1::timestamptz, 'UTC'), NULL, 'rate_limited', 4)`,
    [at],
  );
  const week = await readNow({}, '7d');
  expect(week).toMatchObject({
    requests: { request_count: 9, failed: 3, refused: 11, refused_by: [{ count: 7 }, { count: 4 }] },
    top_spenders: [{ agent_id: spender, cost_usd: 2.95 }],
    pii: [{ type: 'email' }, { type: 'phone' }],
  });
  expect(Date.parse(week.at) - Date.parse(week.requests?.since ?? '')).toBeGreaterThanOrEqual(7 * 86_400_000);
  expect((await readNow({}, '24h')).requests).toMatchObject({ request_count: 8, refused: 7 });
  expect((await management.call('/api/v1/status?from=8d')).status).toBe(400);
});

test('a part that cannot be read, or takes too long, hides no other', async () => {
  const { pool } = management.database;
  await pool.query(`ALTER TABLE unpriced_usage RENAME TO unpriced_usage_hidden`);
  await pool.query(
    `UPDATE audit_log SET action = 'request.refused', "timestamp" = now(), payload = 'no JSON' WHERE seq = 1`,
  );
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE hourly_findings IN ACCESS EXCLUSIVE MODE');
  try {
    const status = await readNow({ without: () => ['nats'], pingRedis: () => new Promise(() => {}), partMs: 2_000 });
    expect(status.unavailable.toSorted((a, b) => a.part.localeCompare(b.part))).toEqual([
      { part: 'pii', error: 'no answer within 2 seconds' },
      { part: 'requests', error: 'could not be read' },
      { part: 'unpriced_models', error: 'could not be read' },
    ]);
    expect(status).toMatchObject({
      requests: null,
      pii: null,
      unpriced_models: null,
      agents: { blocked: 1 },
      spend: { spent_usd: 0.95 },
    });
    expect(['management', 'nats', 'redis', 'postgres'].map((name) => stateOf(status, name))).toEqual([
      'ready',
      'not_ready',
      'not_ready',
      'ready',
    ]);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
    await pool.query('ALTER TABLE unpriced_usage_hidden RENAME TO unpriced_usage');
  }
});

test('a writer that seals no refusals is not ready, and one without work is idle', async () => {
  const { pool } = management.database;
  await pool.query("UPDATE refusal_counts SET minute = minute - interval '10 minutes'");
  expect(stateOf(await readNow(), 'writer')).toBe('not_ready');
  await pool.query('DELETE FROM refusal_counts');
  await pool.query("UPDATE events SET recorded_at = now() - interval '20 minutes'");
  expect(stateOf(await readNow(), 'writer')).toBe('idle');
  await pool.query(
    `UPDATE events SET payload = 'broken', recorded_at = "timestamp" + interval '5 minutes' WHERE session_id = 'ses_status'`,
  );
  expect((await readNow()).recording).toMatchObject({ lag_ms: 300_000 });
});

test('is computed once for all who ask at a time, and needs a key that reads', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, read));
  expect(new Set(answers.map(({ at }) => at)).size).toBeLessThanOrEqual(2);
  const unauthorized = await management.call('/api/v1/status', { headers: { authorization: 'Bearer wrong' } });
  expect(unauthorized.status).toBe(401);
  expect((await management.call('/api/v1/status?part=spend')).status).toBe(400);
});
