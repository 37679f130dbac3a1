/**
 * The writer beside the least that recording could cost: events per second of bare `INSERT ... SELECT FROM unnest` of
 * the same rows into an equal table with the same indexes, and of the writer from a JetStream backlog to the commit.
 * Rounds of both take turns; the medians are compared. Bytes of write-ahead log hardly depend on the machine.
 *
 * Reads DATABASE_URL (a migrated database whose recording tables it may empty) and NATS_URL and REDIS_URL (servers of its own).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type BusConnection, connectBus, ensureEventStream } from '@agp/bus';
import { openDatabase, type Pool } from '@agp/db';
import { createLogger } from '@agp/runtime';
import { makeTraffic } from '@agp/testing/events';
import { startWriter } from '@agp/writer';
import { publishAll } from './product.ts';
import { readArguments } from './read-arguments.ts';
import { medianOfEach } from './statistics.ts';
import { makeBareInserts } from './writer-bare-insert.ts';

const { rounds, events } = readArguments('bench:writer', { rounds: 5, events: 60_000 });
const lanes = 4;
const stream = { replicas: 1, maxBytes: 1024 ** 3 };

/** An equal table: the columns, defaults, indexes and partitions of `events`. */
async function makeBareTable(pool: Pool): Promise<void> {
  await pool.query(`
    DROP TABLE IF EXISTS bare_events;
    CREATE TABLE bare_events (LIKE events INCLUDING ALL) PARTITION BY RANGE (id)`);
  const { rows } = await pool.query<{ name: string; bounds: string }>(`
    SELECT relname AS name, pg_get_expr(relpartbound, oid) AS bounds FROM pg_class
    WHERE oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'events'::regclass)`);
  for (const { name, bounds } of rows) {
    await pool.query(`CREATE TABLE bare_${name} PARTITION OF bare_events ${bounds}`);
  }
}

async function empty(pool: Pool): Promise<void> {
  await pool.query(`
    TRUNCATE events, bare_events, sessions, lineage_heads, daily_usage, agent_last_seen, quarantine;
    CHECKPOINT`);
}

/** Made anew where it is used: objects that nobody needs any more must not be the collector's work in a measurement. */
const makeRound = () => makeTraffic({ events, agents: 20, sessions: 200, eventsPerSession: 20 });

/** What was written before a measurement must not be written out during it. */
async function settleDisk(): Promise<void> {
  await promisify(execFile)('sync');
}

async function readLog(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes",
  );
  return rows[0]?.bytes ?? Number.NaN;
}

interface Round {
  /** Events a second. */
  rate: number;
  /** Bytes of write-ahead log an event. */
  log: number;
}

async function measure(pool: Pool, run: () => Promise<number>): Promise<Round> {
  await empty(pool);
  const before = await readLog(pool);
  const rate = await run();
  return { rate, log: ((await readLog(pool)) - before) / events };
}

/** @returns events per second */
async function runBare(pool: Pool): Promise<number> {
  const inserts = makeBareInserts(makeRound());
  await settleDisk();
  const started = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const client = await pool.connect();
      for (let insert = inserts[next++]; insert !== undefined; insert = inserts[next++]) await client.query(insert);
      client.release();
    }),
  );
  return perSecond(events, started);
}

/** @returns events per second */
async function runWriter(connection: BusConnection): Promise<number> {
  await publishAll(connection, makeRound());
  await settleDisk();
  let left = events;
  let started = 0;
  const done = Promise.withResolvers<number>();
  const config = {
    databaseUrl: process.env.DATABASE_URL as string,
    natsUrl: process.env.NATS_URL as string,
    redisUrl: process.env.REDIS_URL as string,
    opsHost: '127.0.0.1',
    opsPort: 0,
    logLevel: 'warn' as const,
    eventStreamReplicas: stream.replicas,
    eventStreamMaxBytes: stream.maxBytes,
    eventKeepHours: 0,
    writerLanes: lanes,
    shutdownGraceSeconds: 20,
  };
  started = performance.now();
  await using _writer = await startWriter(config, {
    logger: createLogger('writer', 'warn'),
    steps: (steps) => ({
      ...steps,
      record: async (batch) => {
        const result = await steps.record(batch);
        left -= result.recorded.length;
        if (left === 0) done.resolve(perSecond(events, started));
        return result;
      },
    }),
  });
  return await done.promise;
}

function perSecond(count: number, started: number): number {
  return (count / (performance.now() - started)) * 1_000;
}

const { DATABASE_URL, NATS_URL, REDIS_URL } = process.env;
if (!DATABASE_URL || !NATS_URL || !REDIS_URL) throw new Error('DATABASE_URL, NATS_URL or REDIS_URL is not set');
const database = openDatabase({ url: DATABASE_URL, applicationName: 'writer-bench', maxConnections: lanes });
const connection = await connectBus({ url: NATS_URL, name: 'writer-bench' });
await ensureEventStream(connection, stream);
await makeBareTable(database.pool);
const bare: Round[] = [];
const writer: Round[] = [];
const format = (value: number) => Math.round(value).toLocaleString('en');
const describe = ({ rate, log }: Round) => `${format(rate)} events/s, ${format(log)} bytes of log an event`;
console.log(`${events} events a round, batches of 100, ${lanes} connections each`);
// The first round is for the compilers and the caches, of both.
for (let round = 0; round <= rounds; round += 1) {
  const ofBare = await measure(database.pool, () => runBare(database.pool));
  const ofWriter = await measure(database.pool, () => runWriter(connection));
  if (round === 0) continue;
  bare.push(ofBare);
  writer.push(ofWriter);
  console.log(`round ${round}: bare ${describe(ofBare)}; writer ${describe(ofWriter)}`);
}
const [ofBare, ofWriter] = [medianOfEach(bare, ['rate', 'log']), medianOfEach(writer, ['rate', 'log'])];
const ratio = (ofWriter.rate / ofBare.rate).toFixed(2);
console.log(`median: bare ${describe(ofBare)}; writer ${describe(ofWriter)}; ratio ${ratio}`);
await connection.close();
await database.close();
