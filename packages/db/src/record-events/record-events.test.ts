import { randomUUIDv7 } from 'node:crypto';
import type { EventMessage } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { startTestStack } from '@agp/testing';
import { findDivergence, makeEvent, makeTraffic } from '@agp/testing/events';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { listUnpricedModels } from '../queries/usage.ts';
import { isBadData, recordEvents } from './record-events.ts';

let databaseUrl = '';

beforeAll(async () => {
  const stack = await startTestStack();
  databaseUrl = stack.databaseUrl;
  return () => stack[Symbol.asyncDispose]();
});

/** Empty tables, and a pool such as the writer has. */
async function open(maxConnections = 4): Promise<Database> {
  const database = openDatabase({ url: databaseUrl, applicationName: 'record-test', maxConnections, pipeline: true });
  await database.pool.query(`TRUNCATE events, sessions, lineage_heads, daily_usage, hourly_usage, agent_usage, hourly_findings,
    unpriced_usage, agent_last_seen`);
  onTestFinished(() => database.close());
  return database;
}

async function readChains({ pool }: Database) {
  const { rows } = await pool.query(
    'SELECT session_id, seq, id, lineage_hash, payload FROM events ORDER BY session_id, seq',
  );
  return Map.groupBy(
    rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) })),
    (row) => row.session_id as string,
  );
}

/** Every chain whole, heads at their ends, and all totals equal to the sums of the events. */
async function expectConsistent(database: Database, events: readonly EventMessage[]): Promise<void> {
  const { pool } = database;
  const chains = await readChains(database);
  expect(
    [...chains.values()]
      .flat()
      .map(({ event_id }) => event_id)
      .sort(),
  ).toEqual(events.map(({ id }) => id).sort());
  const { rows: heads } = await pool.query('SELECT * FROM lineage_heads WHERE length > 0');
  expect(heads.length).toBe(chains.size);
  for (const [sessionId, chain] of chains) {
    expect(findDivergence(sessionId, chain)).toBeNull();
    const head = heads.find(({ session_id }) => session_id === sessionId);
    expect(head).toMatchObject({ length: chain.length, hash: chain.at(-1)?.lineage_hash });
  }
  const mismatches = await pool.query(`
    SELECT id FROM sessions FULL JOIN (
      SELECT session_id AS id, count(*) AS n, sum(total_tokens) AS tokens, sum(cost_usd) AS cost, min("timestamp") AS first,
        max("timestamp") AS last, (array_agg(compliance_tag ORDER BY id DESC))[1] AS tag, bool_or(pii_detected) AS pii
      FROM events GROUP BY session_id) AS sums USING (id)
    WHERE (event_count, sessions.total_tokens, total_cost_usd, started_at, ended_at, compliance_tag, pii_detected)
      IS DISTINCT FROM (n, tokens, cost, first, last, tag, pii)`);
  expect(mismatches.rows).toEqual([]);
  const usage = await pool.query(`
    SELECT day, agent_id, model FROM daily_usage FULL JOIN (
      SELECT ("timestamp" AT TIME ZONE 'UTC')::date AS day, agent_id, model, sum(prompt_tokens) AS prompt,
        sum(completion_tokens) AS completion, sum(cost_usd) AS cost, count(*) AS n,
        count(*) FILTER (WHERE counts_as_request) AS requests, min("timestamp") AS first, max("timestamp") AS last
      FROM events GROUP BY 1, 2, 3) AS sums USING (day, agent_id, model)
    WHERE (prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at)
      IS DISTINCT FROM (prompt, completion, cost, n, requests, first, last)`);
  expect(usage.rows).toEqual([]);
  const hours = await pool.query(`
    SELECT hour, agent_id, model, provider, compliance_tag FROM hourly_usage FULL JOIN (
      SELECT date_trunc('hour', "timestamp", 'UTC') AS hour, agent_id, model, provider, compliance_tag,
        sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion, sum(cost_usd) AS cost, count(*) AS n,
        count(*) FILTER (WHERE counts_as_request) AS requests,
        count(*) FILTER (WHERE outcome = 'failed' OR outcome = 'completed' AND http_status >= 400) AS failed,
        count(*) FILTER (WHERE (payload::json ->> 'duration_ms')::int < 100) AS fast,
        count(*) FILTER (WHERE (payload::json ->> 'duration_ms')::int >= 1600 AND (payload::json ->> 'duration_ms')::int < 3200) AS slow
      FROM events GROUP BY 1, 2, 3, 4, 5) AS sums USING (hour, agent_id, model, provider, compliance_tag)
    WHERE (prompt_tokens, completion_tokens, cost_usd, event_count, request_count, failed_count, under_100_ms, under_3200_ms)
      IS DISTINCT FROM (prompt, completion, cost, n, requests, failed, fast, slow)`);
  expect(hours.rows).toEqual([]);
  const ofAllTime = await pool.query(`
    SELECT agent_id, model FROM agent_usage FULL JOIN (
      SELECT agent_id, model, sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion, sum(cost_usd) AS cost,
        count(*) AS n, count(*) FILTER (WHERE counts_as_request) AS requests, min("timestamp") AS first,
        max("timestamp") AS last
      FROM events GROUP BY 1, 2) AS sums USING (agent_id, model)
    WHERE (prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at, last_event_at)
      IS DISTINCT FROM (prompt, completion, cost, n, requests, first, last)`);
  expect(ofAllTime.rows).toEqual([]);
  const findings = await pool.query(`
    SELECT hour, agent_id, kind FROM hourly_findings FULL JOIN (
      SELECT date_trunc('hour', "timestamp", 'UTC') AS hour, agent_id, kind, count(DISTINCT id) AS n,
        max("timestamp") AS last
      FROM events, unnest(pii_types) AS kind WHERE pii_detected GROUP BY 1, 2, 3) AS sums USING (hour, agent_id, kind)
    WHERE (event_count, last_event_at) IS DISTINCT FROM (n, last)`);
  expect(findings.rows).toEqual([]);
  const unpriced = await pool.query(`
    SELECT provider, model FROM unpriced_usage FULL JOIN (
      SELECT provider, model, count(*) FILTER (WHERE counts_as_request) AS requests, sum(prompt_tokens) AS prompt,
        sum(completion_tokens) AS completion, min("timestamp") AS first, max("timestamp") AS last
      FROM events
      WHERE payload::json ->> 'price_version' IS NULL AND payload::json ->> 'usage_source' IN ('provider', 'estimated')
      GROUP BY 1, 2) AS sums USING (provider, model)
    WHERE (request_count, prompt_tokens, completion_tokens, first_event_at, last_event_at)
      IS DISTINCT FROM (requests, prompt, completion, first, last)`);
  expect(unpriced.rows).toEqual([]);
  const seen = await pool.query(`
    SELECT agent_id FROM agent_last_seen FULL JOIN (
      SELECT DISTINCT ON (agent_id) agent_id, id, payload::json ->> 'source_ip' AS ip FROM events
      WHERE payload::json ->> 'source_ip' IS NOT NULL ORDER BY agent_id, id DESC) AS latest USING (agent_id)
    WHERE (last_event_id, source_ip) IS DISTINCT FROM (id, ip)`);
  expect(seen.rows).toEqual([]);
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

function inBatches<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, index * size + size),
  );
}

test('an event is stored as it came, with its place and hash', async () => {
  const database = await open();
  const event = makeEvent({
    model: 'a "model" \\ {with,commas} NULL',
    provider: '\n',
    pii_types: ['EMAIL', 'a "b" \\ c', 'null', ''],
    pii_detected: true,
    compliance_tag: 'null',
    cost_nano_usd: 9_007_199_254_740_991,
    counts_as_request: false,
  });
  const result = await recordEvents(database.pool, [event]);
  const { rows } = await database.pool.query('SELECT *, cost_usd::text AS exact FROM events');
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    session_id: event.session_id,
    seq: 0,
    model: event.model,
    provider: event.provider,
    pii_types: event.pii_types,
    compliance_tag: 'null',
    exact: '9007199.254740991',
    counts_as_request: false,
    lineage_hash: result.recorded[0]?.lineageHash,
  });
  expect(rows[0].timestamp.toISOString()).toBe(event.timestamp);
  await expectConsistent(database, [event]);
});

test('repeats inside a batch and in later batches are recorded once and named with the stored hash', async () => {
  const database = await open();
  const session_id = 'ses_repeats';
  const [a, b, c] = [makeEvent({ session_id }), makeEvent({ session_id }), makeEvent({ session_id })];
  const first = await recordEvents(database.pool, [a, b, a]);
  expect(first.recorded.map(({ event }) => event.id)).toEqual([a.id, b.id]);
  const second = await recordEvents(database.pool, [b, c, b]);
  expect(second.recorded.map(({ event }) => event.id)).toEqual([c.id]);
  expect(second.known).toEqual([{ event: b, lineageHash: first.recorded[1]?.lineageHash }]);
  const third = await recordEvents(database.pool, [a, b, c]);
  expect(third.recorded).toEqual([]);
  expect(third.known).toHaveLength(3);
  await expectConsistent(database, [a, b, c]);
});

test('an event of an older partition, and one of no partition, are found again too', async () => {
  const database = await open();
  const old = toPublicId('evt', '01800000-0000-7000-8000-000000000000');
  const event = makeEvent({ id: old, timestamp: new Date(0x018000000000).toISOString() });
  const now = makeEvent();
  await recordEvents(database.pool, [event]);
  const again = await recordEvents(database.pool, [now, event]);
  expect(again.known.map(({ event: { id } }) => id)).toEqual([old]);
  await expectConsistent(database, [event, now]);
});

test('the tag, the times and the address are those of the latest event, in whatever order events are recorded', async () => {
  const database = await open();
  const common = { session_id: 'ses_order', agent_id: toPublicId('agt', randomUUIDv7()) };
  const events: EventMessage[] = [];
  for (let index = 0; index < 12; index += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    events.push(
      makeEvent({ ...common, compliance_tag: `tag-${index}`, source_ip: index === 11 ? null : `10.0.0.${index}` }),
    );
  }
  for (const batch of inBatches(shuffled(events), 3)) await recordEvents(database.pool, batch);
  await expectConsistent(database, events);
});

test('usage without a price is counted once, by provider and model, and no other usage is', async () => {
  const database = await open();
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
  const tuned = { ...usage, price_version: null, model: 'a "tuned" {model}, NULL' };
  const events = [
    makeEvent({ ...tuned, provider: 'vllm' }),
    makeEvent({ ...tuned, provider: 'vllm', usage_source: 'estimated' }),
    makeEvent({ ...tuned, provider: 'vllm-2', counts_as_request: false }),
    makeEvent({ ...tuned, provider: 'priced', price_version: 'genai-prices 0.1.8' }),
    makeEvent({ ...tuned, provider: 'unused', usage_source: 'none' }),
    makeEvent({ ...tuned, provider: 'unknown', usage_source: null }),
  ];
  for (const batch of [events.slice(0, 1), events, events]) await recordEvents(database.pool, batch);
  expect(await listUnpricedModels(database.db)).toEqual([
    {
      provider: 'vllm',
      unit: null,
      model: tuned.model,
      request_count: 2,
      total_prompt_tokens: 14,
      total_completion_tokens: 4,
      first_seen_at: new Date(events[0]?.timestamp ?? ''),
      last_seen_at: new Date(events[1]?.timestamp ?? ''),
    },
    expect.objectContaining({ provider: 'vllm-2', request_count: 0, total_prompt_tokens: 7 }),
  ]);
  await expectConsistent(database, events);
});

test('a session that the proxy has claimed keeps its agent', async () => {
  const database = await open();
  const owner = randomUUIDv7();
  await database.pool.query("INSERT INTO sessions (id, agent_id) VALUES ('ses_claimed', $1)", [owner]);
  const event = makeEvent({ session_id: 'ses_claimed' });
  await recordEvents(database.pool, [event]);
  const { rows } = await database.pool.query('SELECT agent_id, event_count FROM sessions');
  expect(rows).toEqual([{ agent_id: owner, event_count: 1 }]);
});

test('six writers with the same redelivered events of shared sessions: each once, no deadlock, exact sums', async () => {
  const writers = 6;
  const databases = await Promise.all(Array.from({ length: writers }, () => open(2)));
  // Half of the events have no price, which all writers count in the same five rows.
  const events = makeTraffic({ events: 3_000, agents: 5, sessions: 40, eventsPerSession: 30 }).map((event, index) =>
    index % 2 === 0 ? event : { ...event, price_version: null },
  );
  let recorded = 0;
  // Each writer gets nine tenths of the events in an order of its own, and all begin with sessions that nobody has.
  await Promise.all(
    databases.map(async ({ pool }, writer) => {
      const mine = shuffled(events.filter((_, index) => index % 10 !== writer));
      const batches = inBatches(mine, 100);
      await Promise.all(
        [0, 1].map(async (lane) => {
          for (let index = lane; index < batches.length; index += 2) {
            // Once only: whatever fails here is a finding.
            const result = await recordEvents(pool, batches[index] as EventMessage[]);
            recorded += result.recorded.length;
          }
        }),
      );
    }),
  );
  expect(recorded).toBe(events.length);
  await expectConsistent(databases[0] as Database, events);
});

test('data that Postgres refuses fails the batch as bad data and records none of it', async () => {
  const database = await open();
  await database.pool.query(
    "INSERT INTO sessions (id, agent_id, total_tokens) VALUES ('ses_full', $1, 9223372036854775807)",
    [randomUUIDv7()],
  );
  const attempt = recordEvents(database.pool, [makeEvent(), makeEvent({ session_id: 'ses_full' })]);
  const error = await attempt.catch((reason: unknown) => reason);
  expect(isBadData(error)).toBe(true);
  expect(error).toMatchObject({ code: '22003' });
  expect((await database.pool.query('SELECT count(*) FROM events')).rows[0].count).toBe(0);
  expect((await database.pool.query('SELECT count(*) FROM lineage_heads')).rows[0].count).toBe(0);
  const event = makeEvent();
  await recordEvents(database.pool, [event]);
  expect((await readChains(database)).size).toBe(1);
});

test('a lost connection is no bad data', async () => {
  const database = await open();
  await database.pool.query(
    'CREATE OR REPLACE FUNCTION drop_connection() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$',
  );
  await database.pool.query(
    'CREATE TRIGGER drop_connection BEFORE INSERT ON daily_usage FOR EACH ROW EXECUTE FUNCTION drop_connection()',
  );
  const event = makeEvent();
  const error = await recordEvents(database.pool, [event]).catch((reason: unknown) => reason);
  await database.pool.query('DROP TRIGGER drop_connection ON daily_usage');
  expect(error).toBeInstanceOf(Error);
  expect(isBadData(error)).toBe(false);
  await recordEvents(database.pool, [event]);
  await expectConsistent(database, [event]);
});
