import { setImmediate } from 'node:timers/promises';
import { connectBus, eventStream, Outbox, writerConsumer } from '@agp/bus';
import type { CostSummary, Lineage } from '@agp/core/contracts';
import type { EventMessage } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { type ChainEntry, findDivergence } from '@agp/testing/events';
import { expect } from 'vitest';
import { differences } from '../../recording/exactly-once/differences.ts';
import { LiveClient } from '../../recording/exactly-once/live-client.ts';
import { makeSoakEvents } from '../../recording/exactly-once/make-soak-events.ts';
import { readMetric } from '../../system/read-metric.ts';
import type { ServiceProcess } from '../../system/start-processes.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import { milliseconds, type Report, unreported } from '../story.ts';

export interface ExactlyOnceSize {
  events: number;
  /** How often a writer is killed. */
  kills: number;
  /** What a killed writer held is given out again soon, and not after half a minute. */
  hurried?: boolean;
}

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

/** Runs `work` while nothing can be recorded, so that writers keep what they take. */
async function withoutRecording<Result>({ database }: System, work: () => Promise<Result>): Promise<Result> {
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE events IN EXCLUSIVE MODE');
    return await work();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const shortAckWaitMs = 2_000;

/** Gives out again soon what a killed writer held, until the next writer starts and sets the time anew. */
export async function hurryRedelivery(natsUrl: string): Promise<void> {
  const connection = await connectBus({ url: natsUrl, name: 'hurry' });
  const { consumers } = await connection.jetstreamManager();
  await consumers.update(eventStream, writerConsumer, { ack_wait: shortAckWaitMs * 1e6 });
  await connection.close();
}

/**
 * Publishes in parts, and in the middle of each part but the last kills a writer in its transaction and starts another one.
 *
 * @returns how many messages each held when it was killed
 */
async function publishAndKill(
  system: System<ServiceProcess>,
  client: LiveClient,
  events: readonly EventMessage[],
  { kills, hurried = false }: ExactlyOnceSize,
): Promise<number[]> {
  const connection = await connectBus({ url: system.stack.natsUrl, name: 'exactly-once' });
  const outbox = new Outbox(connection);
  const part = Math.ceil(events.length / (kills + 1));
  const half = Math.ceil(part / 2);
  const held: number[] = [];
  const writers = [...system.writers];
  const findBusy = async () => {
    for (const [index, writer] of writers.entries()) {
      const count = await readMetric(writer, 'agp_writer_held_messages');
      if (count > 0) return { index, count };
    }
    return undefined;
  };
  for (let begin = 0; held.length < kills; begin += part) {
    await publish(outbox, events.slice(begin, begin + half));
    const publishing = await withoutRecording(system, async () => {
      const rest = publish(outbox, events.slice(begin + half, begin + part));
      const { index, count } = await waitFor('a writer to hold messages', findBusy, waitMs);
      const [victim] = writers.splice(index, 1);
      await victim?.kill();
      held.push(count);
      return { rest };
    });
    if (held.length % 2 === 1) client.disconnect();
    const [successor] = await Promise.all([system.start('writer'), publishing.rest]);
    writers.push(successor);
    if (hurried) await hurryRedelivery(system.stack.natsUrl);
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
  expect(entries).toHaveLength(events.length);
  const chains = Map.groupBy(entries, ({ session_id }) => session_id);
  expect([...chains].filter(([id, chain]) => findDivergence(id, chain) !== null)).toEqual([]);

  const published = new Map(events.map((event) => [event.id, event]));
  for (const { event_id, seq, payload } of entries) {
    const { cost_nano_usd, counts_as_request, ...members } = published.get(event_id) as EventMessage;
    const expected = {
      ...members,
      v: members.policy_version === undefined ? 1 : 2,
      seq,
      cost_usd: cost_nano_usd / 1e9,
    };
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

async function checkTotals(system: System, events: EventMessage[]): Promise<void> {
  for (const [name, query] of Object.entries(differences)) {
    const { rows } = await system.database.pool.query(query);
    expect(rows, name).toEqual([]);
  }
  const nano = events.reduce((sum, event) => sum + BigInt(event.cost_nano_usd), 0n);
  const digits = String(nano).padStart(10, '0');
  const expected = {
    cost: `${digits.slice(0, -9)}.${digits.slice(-9)}`,
    rows: events.length,
    ids: events.length,
    days: 2,
  };
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

/** Publishes events through two writers, one of them killed again and again: each is recorded once, and a live client sees each. */
export async function recordExactlyOnce(
  system: System<ServiceProcess>,
  size: ExactlyOnceSize,
  report: Report = unreported,
): Promise<void> {
  const { events: count, kills } = size;
  const events = makeSoakEvents(count);
  const client = new LiveClient(system.management.url, system.apiKey);
  const following = client.run();
  await waitFor('the stream', () => client.connections > 0);
  const started = performance.now();
  const held = await publishAndKill(system, client, events, size);
  report({ published: count, 'writers killed': kills, 'messages that these held': held.join(', ') });
  await waitFor('all events', async () => (await countRecorded(system)) >= count, waitMs);
  report({ recorded: await countRecorded(system), 'recorded after': milliseconds(performance.now() - started) });
  await waitFor('the client to have seen all', () => client.seen.size >= count, waitMs);
  report({ 'seen by the live client': client.seen.size, 'its connections': client.connections });
  client.stop();
  await following;

  await checkChains(system, events);
  await checkTotals(system, events);
  expect(client.seen).toEqual(new Set(events.map(({ id }) => id)));
  expect(client.repeated).toEqual([]);
  // It lost the stream with every second kill.
  expect(client.connections).toBeGreaterThan(Math.ceil(kills / 2));
  const quarantined = await readOne(system, 'SELECT count(*) AS quarantined FROM quarantine');
  expect(quarantined).toEqual({ quarantined: 0 });
}
