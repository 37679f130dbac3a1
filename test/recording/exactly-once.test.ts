import { setImmediate } from 'node:timers/promises';
import { connectBus, Outbox } from '@agp/bus';
import type { CostSummary, Lineage } from '@agp/core/contracts';
import type { EventMessage } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { type ChainEntry, findDivergence } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { type ProcessSystem, startProcesses } from '../system/start-processes.ts';
import { type System, waitFor } from '../system/start-system.ts';
import { LiveClient } from './exactly-once/live-client.ts';
import { makeSoakEvents } from './exactly-once/make-soak-events.ts';

const count = Number(process.env.SOAK_EVENTS ?? 50_000);
const kills = 5;
const waitMs = 120_000;

/** Publishes through the outbox that proxies use. */
async function publish(outbox: Outbox, events: readonly EventMessage[]): Promise<void> {
  const add = async (id: string, event: EventMessage) => {
    while (outbox.size >= outbox.capacity) await setImmediate();
    expect(outbox.add(id, JSON.stringify(event))).toBe(true);
  };
  for (const [index, event] of events.entries()) {
    await add(event.id, event);
    // Some come again later under another message id, as after JetStream has forgotten the first: Postgres must know.
    const earlier = events[index - 1_000];
    if (earlier && index % 50 === 0) await add(`${earlier.id} again`, earlier);
  }
  expect(await outbox.drain(waitMs)).toBe(0);
}

async function readOne<Row extends object>(system: System, query: string): Promise<Row> {
  const { rows } = await system.database.pool.query<Row>(query);
  return rows[0] as Row;
}

async function countRecorded(system: System): Promise<number> {
  const { recorded } = await readOne<{ recorded: number }>(
    system,
    'SELECT coalesce(sum(length), 0)::int AS recorded FROM lineage_heads',
  );
  return recorded;
}

async function countHeld(writerUrl: string): Promise<number> {
  const metrics = await (await fetch(`${writerUrl}/metrics`)).text();
  return Number(/^agp_writer_held_messages (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

/**
 * Publishes in parts, and in the middle of each part but the last kills the second writer and starts another one.
 *
 * @returns how many messages each held when it was killed
 */
async function publishAndKill(
  system: ProcessSystem,
  client: LiveClient,
  events: readonly EventMessage[],
): Promise<number[]> {
  const connection = await connectBus({ url: system.stack.natsUrl, name: 'soak' });
  const outbox = new Outbox(connection);
  const part = Math.ceil(events.length / (kills + 1));
  const held: number[] = [];
  let [, victim] = system.writers;
  for (let kill = 0; kill < kills; kill += 1) {
    const before = await countRecorded(system);
    const publishing = publish(outbox, events.slice(kill * part, (kill + 1) * part));
    if (!victim) throw new Error('there is no second writer');
    const { url } = victim;
    await waitFor('some of the part', async () => (await countRecorded(system)) >= before + part / 10, waitMs);
    held.push(await waitFor('work of the second writer', async () => (await countHeld(url)) || undefined, waitMs));
    await victim.kill();
    if (kill % 2 === 1) client.disconnect();
    [victim] = await Promise.all([system.start('writer'), publishing]);
  }
  await publish(outbox, events.slice(kills * part));
  outbox.stop();
  await connection.close();
  return held;
}

/** The published events by id, and every chain, read from Postgres and held against the second implementation. */
async function checkChains(system: System, events: EventMessage[]): Promise<void> {
  const { rows } = await system.database.pool.query<ChainEntry & { id: string; session_id: string }>(
    'SELECT id, session_id, seq, lineage_hash, payload FROM events ORDER BY session_id, seq',
  );
  const entries = rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
  expect(entries).toHaveLength(count);
  const chains = Map.groupBy(entries, ({ session_id }) => session_id);
  expect([...chains].filter(([id, chain]) => findDivergence(id, chain) !== null)).toEqual([]);

  const published = new Map(events.map((event) => [event.id, event]));
  for (const { event_id, seq, payload } of entries) {
    const { cost_nano_usd, counts_as_request, ...members } = published.get(event_id) as EventMessage;
    const expected = { ...members, v: 1, seq, cost_usd: cost_nano_usd / 1e9 };
    // Far faster than `expect` for so many.
    if (!isSame(JSON.parse(payload), expected)) expect(JSON.parse(payload)).toEqual(expected);
    published.delete(event_id);
  }
  expect(published.size).toBe(0);

  for (const [sessionId, chain] of [...chains].slice(0, 40)) {
    const lineage = await system.api<Lineage>(`/api/v1/lineage/${sessionId}`);
    expect(lineage.entries).toHaveLength(chain.length);
    expect(findDivergence(sessionId, lineage.entries)).toBeNull();
    expect(lineage.entries.at(-1)?.lineage_hash).toBe(chain.at(-1)?.lineage_hash);
  }
}

function isSame(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
  );
}

/** What is kept beside the events, and where it is not their sum: both as exact decimals, in Postgres itself. */
const differences = {
  heads: `
    SELECT session_id FROM lineage_heads FULL JOIN (
      SELECT session_id, count(*) AS length, (array_agg(lineage_hash ORDER BY seq DESC))[1] AS hash
      FROM events GROUP BY session_id
    ) AS summed USING (session_id, length, hash)
    WHERE lineage_heads.length IS NULL OR summed.length IS NULL`,
  sessions: `
    SELECT id FROM sessions FULL JOIN (
      SELECT session_id AS id, agent_id, min("timestamp") AS started_at, max("timestamp") AS ended_at,
        count(*)::text AS event_count, sum(total_tokens)::text AS total_tokens, sum(cost_usd)::text AS total_cost_usd
      FROM events GROUP BY session_id, agent_id
    ) AS summed USING (id, agent_id, started_at, ended_at)
    WHERE sessions.event_count::text IS DISTINCT FROM summed.event_count
      OR sessions.total_tokens::text IS DISTINCT FROM summed.total_tokens
      OR sessions.total_cost_usd::text IS DISTINCT FROM summed.total_cost_usd`,
  daily: `
    SELECT day FROM daily_usage FULL JOIN (
      SELECT ("timestamp" AT TIME ZONE 'UTC')::date AS day, agent_id, model, count(*)::text AS event_count,
        (count(*) FILTER (WHERE counts_as_request))::text AS request_count, sum(prompt_tokens)::text AS prompt_tokens,
        sum(completion_tokens)::text AS completion_tokens, sum(cost_usd)::text AS cost_usd,
        min("timestamp") AS first_event_at, max("timestamp") AS last_event_at
      FROM events GROUP BY 1, 2, 3
    ) AS summed USING (day, agent_id, model, first_event_at, last_event_at)
    WHERE daily_usage.event_count::text IS DISTINCT FROM summed.event_count
      OR daily_usage.request_count::text IS DISTINCT FROM summed.request_count
      OR daily_usage.prompt_tokens::text IS DISTINCT FROM summed.prompt_tokens
      OR daily_usage.completion_tokens::text IS DISTINCT FROM summed.completion_tokens
      OR daily_usage.cost_usd::text IS DISTINCT FROM summed.cost_usd`,
  unpriced: `
    SELECT provider, model FROM unpriced_usage FULL JOIN (
      SELECT provider, model, (count(*) FILTER (WHERE counts_as_request))::text AS request_count,
        sum(prompt_tokens)::text AS prompt_tokens, sum(completion_tokens)::text AS completion_tokens,
        min("timestamp") AS first_event_at, max("timestamp") AS last_event_at
      FROM events WHERE payload::json ->> 'price_version' IS NULL GROUP BY 1, 2
    ) AS summed USING (provider, model, first_event_at, last_event_at)
    WHERE unpriced_usage.request_count::text IS DISTINCT FROM summed.request_count
      OR unpriced_usage.prompt_tokens::text IS DISTINCT FROM summed.prompt_tokens
      OR unpriced_usage.completion_tokens::text IS DISTINCT FROM summed.completion_tokens`,
};

async function checkTotals(system: System, events: EventMessage[]): Promise<void> {
  for (const [name, query] of Object.entries(differences)) {
    const { rows } = await system.database.pool.query(query);
    expect(rows, name).toEqual([]);
  }
  const nano = events.reduce((sum, event) => sum + BigInt(event.cost_nano_usd), 0n);
  const digits = String(nano).padStart(10, '0');
  const expected = { cost: `${digits.slice(0, -9)}.${digits.slice(-9)}`, rows: count, ids: count, days: 2 };
  const sums = 'sum(cost_usd)::text AS cost, count(*) AS rows, count(DISTINCT id) AS ids';
  const days = `count(DISTINCT ("timestamp" AT TIME ZONE 'UTC')::date) AS days`;
  expect(await readOne(system, `SELECT ${sums}, ${days} FROM events`)).toEqual(expected);
  const { cost } = await readOne<{ cost: string }>(system, 'SELECT sum(total_cost_usd)::text AS cost FROM sessions');
  expect(cost).toBe(expected.cost);
  const summary = await system.api<CostSummary>('/api/v1/costs/summary');
  expect(summary).toMatchObject({
    total_cost_usd: Number(expected.cost),
    total_tokens: events.reduce((sum, event) => sum + event.total_tokens, 0),
    request_count: events.filter((event) => event.counts_as_request).length,
    agent_count: new Set(events.map((event) => event.agent_id)).size,
  });
}

test(`${count} events through two writers, one of them killed ${kills} times, are each recorded once`, async () => {
  await using system = await startProcesses({ proxies: 0, writers: 2 });
  const events = makeSoakEvents(count);
  const client = new LiveClient(system.management.url, system.apiKey);
  const following = client.run();
  await waitFor('the stream', () => client.connections > 0);
  const started = performance.now();
  const held = await publishAndKill(system, client, events);
  await waitFor('all events', async () => (await countRecorded(system)) >= count, waitMs);
  const recordedMs = performance.now() - started;
  await waitFor('the client to have seen all', () => client.seen.size >= count, waitMs);
  const seenMs = performance.now() - started;
  client.stop();
  await following;

  await checkChains(system, events);
  await checkTotals(system, events);
  expect(client.seen).toEqual(new Set(events.map(({ id }) => id)));
  expect(client.repeated).toEqual([]);
  expect(client.connections).toBeGreaterThan(2);
  expect(client.live.size).toBeLessThan(count);
  const quarantined = await readOne(system, 'SELECT count(*) AS quarantined FROM quarantine');
  expect(quarantined).toEqual({ quarantined: 0 });
  console.log(
    `${count} events recorded once in ${Math.round(recordedMs)} ms, all seen by the client in ${Math.round(seenMs)} ms; ` +
      `writers were killed while they held ${held.join(', ')} messages; the client connected ${client.connections} ` +
      `times and had ${client.live.size} events live, the rest by backfilling`,
  );
}, 300_000);
