import {
  type BusConnection,
  connectBus,
  ensureEventStream,
  Outbox,
  readBacklog,
  subscribeToAnnouncements,
} from '@agp/bus';
import type { AnnouncedEvent, EventMessage } from '@agp/core/events';
import { type Database, openDatabase } from '@agp/db';
import { createLogger, type Service } from '@agp/runtime';
import { type WriterConfig, writerConfigSchema } from '@agp/settings';
import { eventually, startTestStack } from '@agp/testing';
import { expect, onTestFinished } from 'vitest';
import { startWriter, type WriterOverrides } from '../../src/start-writer.ts';

/** Short, so that tests see redelivery. */
export const ackWaitMs = 3_000;

/** A NATS server, a Postgres database, and a publisher and a subscriber at the two ends of a writer. Ends with the test. */
export async function startWriterStack<const Own extends boolean = false>(options: { ownPostgres?: Own } = {}) {
  const stack = await startTestStack({ nats: true, redis: true, ownPostgres: (options.ownPostgres ?? false) as Own });
  const connection: BusConnection = await connectBus({ url: stack.natsUrl, name: 'writer-test' });
  await ensureEventStream(connection, { replicas: 1, maxBytes: 256 * 1024 ** 2, ackWaitMs });
  const outbox = new Outbox(connection, { capacity: 100_000 });
  const database: Database = openDatabase({
    url: stack.databaseUrl,
    applicationName: 'writer-test',
    maxConnections: 2,
  });
  const announced: AnnouncedEvent[] = [];
  subscribeToAnnouncements(
    connection,
    ({ events }) => announced.push(...events),
    () => {},
  );
  await connection.flush();
  const writers: Service[] = [];
  onTestFinished(async () => {
    await Promise.all(writers.map((writer) => writer.stop()));
    outbox.stop();
    await connection.close();
    await database.close();
    await stack[Symbol.asyncDispose]();
  });

  const start = async (overrides: WriterOverrides = {}, settings: Partial<WriterConfig> = {}): Promise<Service> => {
    const config = writerConfigSchema.parse({
      ...stack.urls.writer,
      opsHost: '127.0.0.1',
      opsPort: 0,
      ...settings,
    });
    const writer = await startWriter(config, { logger: createLogger('writer', 'silent'), ackWaitMs, ...overrides });
    writers.push(writer);
    return writer;
  };
  const publish = (events: readonly EventMessage[]): void => {
    for (const event of events) outbox.add(event.id, JSON.stringify(event));
  };
  const count = async (from: string): Promise<number> => {
    const { rows } = await database.pool.query(`SELECT count(*) AS n FROM ${from}`);
    return rows[0].n;
  };
  /** Waits until the stream is empty: everything in it was acknowledged. */
  const settled = async (timeout = 20_000): Promise<void> => {
    expect(await outbox.drain(timeout)).toBe(0);
    const empty = { pending: 0, unacknowledged: 0 };
    await eventually(async () => expect(await readBacklog(connection)).toMatchObject(empty));
  };
  return { ...stack, connection, outbox, database, announced, start, publish, count, settled };
}
