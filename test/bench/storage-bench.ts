/**
 * What an event takes until it is recorded and once it is: bytes in JetStream and in Postgres, beside its own JSON; and how fast
 * JetStream takes events in, with copies kept for a replay beside without. The medians of the rounds are compared.
 *
 * Reads DATABASE_URL (a migrated database that nothing else writes to) and NATS_URL (a server of its own).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BusConnection, connectBus, ensureEventStream, eventStream, keptStream } from '@agp/bus';
import type { EventMessage } from '@agp/core/events';
import { openDatabase, type Pool, recordEvents } from '@agp/db';
import { makeTraffic } from '@agp/testing/events';
import { publishAll } from './product.ts';
import { readArguments } from './read-arguments.ts';
import { median } from './statistics.ts';

const { rounds, events } = readArguments('bench:storage', { rounds: 5, events: 60_000 });
const eventsPerSession = 20;
const batch = 100;
const dayMs = 24 * 60 * 60_000;

const makeEvents = () => makeTraffic({ events, agents: 20, sessions: 200, eventsPerSession });

interface Intake {
  perSecond: number;
  /** Bytes of each event in the event stream. */
  bytes: number;
}

/** Publishes all events into streams made anew, which keep copies for so long. */
async function takeIn(connection: BusConnection, keepMs: number): Promise<Intake> {
  const manager = await connection.jetstreamManager();
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name);
  const problem = await ensureEventStream(connection, { replicas: 1, maxBytes: 1024 ** 3, keepMs });
  if (problem !== null) throw new Error(problem);
  const started = await publishAll(connection, makeEvents());
  const { state } = await manager.streams.info(eventStream);
  if (keepMs > 0) await waitForCopies(manager, state.messages);
  const perSecond = (events / (performance.now() - started)) * 1_000;
  return { perSecond, bytes: state.bytes / events };
}

/** Copies are made after the answer to the publisher. */
async function waitForCopies(
  manager: Awaited<ReturnType<BusConnection['jetstreamManager']>>,
  messages: number,
): Promise<void> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    const { state } = await manager.streams.info(keptStream);
    if (state.messages === messages) return;
    await sleep(5);
  }
  throw new Error('not every event was kept');
}

/** Bytes of tables with their indexes and partitions. */
async function readSize(pool: Pool, tables: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE oid = ANY ($1::regclass[]) OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = ANY ($1::regclass[]))`,
    [tables],
  );
  return Number(rows[0]?.bytes);
}

async function readWalPosition(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>('SELECT pg_current_wal_lsn() AS position');
  return rows[0]?.position as string;
}

interface Recorded {
  /** Bytes of each event in its table and indexes. */
  perEvent: number;
  /** Bytes of the write-ahead log for each event. */
  wal: number;
  /** Bytes of each session: itself and the head of its chain. */
  perSession: number;
}

/** Records all events as the writer does, into empty tables. */
async function recordAll(pool: Pool, traffic: readonly EventMessage[]): Promise<Recorded> {
  const sessionTables = ['sessions', 'lineage_heads'];
  await pool.query('TRUNCATE events, sessions, lineage_heads, daily_usage, agent_last_seen; CHECKPOINT');
  const empty = { events: await readSize(pool, ['events']), sessions: await readSize(pool, sessionTables) };
  const from = await readWalPosition(pool);
  for (let next = 0; next < traffic.length; next += batch) {
    const { recorded } = await recordEvents(pool, traffic.slice(next, next + batch));
    if (recorded.length !== Math.min(batch, traffic.length - next)) throw new Error('an event was not recorded');
  }
  const { rows } = await pool.query<{ bytes: string }>('SELECT pg_current_wal_lsn() - $1::pg_lsn AS bytes', [from]);
  const sessions = new Set(traffic.map((event) => event.session_id)).size;
  return {
    perEvent: ((await readSize(pool, ['events'])) - empty.events) / events,
    wal: Number(rows[0]?.bytes) / events,
    perSession: ((await readSize(pool, sessionTables)) - empty.sessions) / sessions,
  };
}

const { DATABASE_URL, NATS_URL } = process.env;
if (!DATABASE_URL || !NATS_URL) throw new Error('DATABASE_URL or NATS_URL is not set');
const database = openDatabase({
  url: DATABASE_URL,
  applicationName: 'storage-bench',
  maxConnections: 2,
  pipeline: true,
});
const connection = await connectBus({ url: NATS_URL, name: 'storage-bench' });
const json = median(makeEvents().map((event) => Buffer.byteLength(JSON.stringify(event))));
const intakes = { plain: [] as Intake[], kept: [] as Intake[] };
console.log(`${events} events a round, ${eventsPerSession} a session`);
// The first round is for the compilers and the caches.
for (let round = 0; round <= rounds; round += 1) {
  const [plain, kept] = [await takeIn(connection, 0), await takeIn(connection, dayMs)];
  if (round === 0) continue;
  intakes.plain.push(plain);
  intakes.kept.push(kept);
}
const { perEvent, wal, perSession } = await recordAll(database.pool, makeEvents());
const streamBytes = median(intakes.plain.map(({ bytes }) => bytes));
const print = (name: string, bytes: number) =>
  console.log(`${name.padEnd(30)} ${bytes.toFixed(0).padStart(6)} bytes   ${(bytes / json).toFixed(2)} of its JSON`);
print('an event, as JSON', json);
print('in JetStream', streamBytes);
print('in Postgres, with indexes', perEvent);
print('written ahead by Postgres', wal);
print('each session in Postgres', perSession);
const rateOf = (results: Intake[]) => median(results.map(({ perSecond }) => perSecond));
const [plain, kept] = [rateOf(intakes.plain), rateOf(intakes.kept)];
const format = (value: number) => Math.round(value).toLocaleString('en');
console.log(
  `JetStream takes in ${format(plain)} events/s, with copies kept ${format(kept)} events/s, ratio ${(kept / plain).toFixed(2)}`,
);
await connection.close();
await database.close();
