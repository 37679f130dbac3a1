import { execFile, spawn } from 'node:child_process';
import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { announcementSubject, connectBus, eventStream, eventSubject, maxEventsInMessage } from '@agp/bus';
import type { EventMessage } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import { childEnvironment, eventually, runCommandWithin } from '@agp/testing';
import { findDivergence, makeEvent, makeTraffic } from '@agp/testing/events';
import { expect, onTestFinished, test } from 'vitest';
import { ackWaitMs, startWriterStack } from './support/start-writer-stack.ts';

const run = promisify(execFile);
const quarantineCommand = join(import.meta.dirname, '../../../packages/operator/src/commands/quarantine.ts');
const traffic = (events: number) => makeTraffic({ events, agents: 4, sessions: 20, eventsPerSession: 25 });

type Stack = Pick<Awaited<ReturnType<typeof startWriterStack>>, 'announced' | 'database'>;

/** Each event once, each chain whole, totals equal to the sums, everything announced with the stored hash. */
async function expectAllRecorded({ database, announced }: Stack, events: readonly EventMessage[]): Promise<void> {
  const { rows } = await database.pool.query(
    'SELECT id, session_id, seq, lineage_hash, payload FROM events ORDER BY seq',
  );
  const entries = rows.map((row) => ({ ...row, event_id: toPublicId('evt', row.id) }));
  expect(entries.map(({ event_id }) => event_id).sort()).toEqual(events.map(({ id }) => id).sort());
  for (const [sessionId, chain] of Map.groupBy(entries, ({ session_id }) => session_id as string)) {
    expect(findDivergence(sessionId, chain)).toBeNull();
  }
  const {
    rows: [sums],
  } = await database.pool.query(`
    SELECT (SELECT sum(event_count) FROM sessions) AS sessions, (SELECT sum(event_count) FROM daily_usage) AS usage,
      (SELECT sum(cost_usd) FROM daily_usage) = (SELECT sum(cost_usd) FROM events) AS cost`);
  expect(sums).toEqual({ sessions: events.length, usage: events.length, cost: true });
  const hashes = new Map(announced.map((event) => [event.id, event.lineage_hash]));
  await eventually(() => expect(hashes.size).toBe(events.length));
  for (const { event_id, lineage_hash } of entries) expect(hashes.get(event_id)).toBe(lineage_hash);
}

test('published events are recorded, announced and acknowledged', async () => {
  const stack = await startWriterStack();
  const writer = await stack.start();
  const events = traffic(730);
  stack.publish(events);
  await stack.settled();
  await expectAllRecorded(stack, events);
  await eventually(async () => expect((await fetch(`${writer.url}/readyz`)).status).toBe(200));
  const metrics = await (await fetch(`${writer.url}/metrics`)).text();
  expect(metrics).toContain('agp_writer_events_recorded_total 730');
  expect(metrics).toContain('agp_writer_held_messages 0');
});

test('a writer that cannot make the stream is not ready', async () => {
  const stack = await startWriterStack();
  const { streams } = await stack.connection.jetstreamManager();
  await streams.delete(eventStream);
  // The test's server may use 1 TB.
  const writer = await stack.start({}, { eventStreamMaxBytes: 2e12 });
  await eventually(async () => {
    const answer = await fetch(`${writer.url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ reasons: ['stream'] })]);
  });
});

test('one event alone is recorded and announced, with none to fill its batch', async () => {
  const stack = await startWriterStack();
  await stack.start();
  const event = makeEvent();
  stack.publish([event]);
  await eventually(() => expect(stack.announced).toHaveLength(1));
  expect(stack.announced[0]).toMatchObject({ id: event.id, cost_usd: event.cost_nano_usd / 1e9 });
});

test('poison in the middle of a batch is set aside with its bytes, the others are recorded, and it can be replayed', async () => {
  const stack = await startWriterStack();
  const { pool } = stack.database;
  // A total that cannot grow: Postgres refuses the event that would add to it (class 22), as it would any bad data.
  await pool.query("INSERT INTO sessions (id, agent_id, total_tokens) VALUES ('ses_full', $1, 9223372036854775807)", [
    randomUUIDv7(),
  ]);
  const poison = makeEvent({ session_id: 'ses_full' });
  const events = traffic(100);
  const jetstream = stack.connection.jetstream();
  stack.publish(events.slice(0, 50));
  stack.publish([poison]);
  await stack.outbox.drain(5_000);
  for (const bytes of ['{"not":"an event"}', 'not JSON', '\u{0}', Buffer.from([0xff, 0xfe])]) {
    await jetstream.publish(eventSubject, bytes, { msgID: `bad ${bytes}` });
  }
  stack.publish(events.slice(50));
  await stack.start();
  await stack.settled();
  await expectAllRecorded(stack, events);
  const { rows } = await pool.query('SELECT id, message_id, code, bytes FROM quarantine');
  expect(rows.map(({ code }) => code).sort()).toEqual(['22003', 'not_an_event', 'not_json', 'not_json', 'not_utf8']);
  const aside = rows.find(({ code }) => code === '22003');
  expect(JSON.parse(aside.bytes.toString())).toEqual(poison);

  const command = async (...args: string[]) => {
    const { writer, operator } = stack.urls;
    const env = { DATABASE_URL: writer.databaseUrl, NATS_URL: operator.natsUrl };
    return runCommandWithin(quarantineCommand, args, env);
  };
  expect(await command('list')).toMatchObject({ status: 0, stdout: expect.stringContaining('22003') });
  expect(await command('replay', '999')).toMatchObject({ status: 1 });
  expect(await command('replay')).toMatchObject({ status: 2 });
  expect(await command('replay', '1', '--all')).toMatchObject({ status: 2 });
  expect(await command('--help')).toMatchObject({ stdout: expect.stringContaining('usage:') });
  await pool.query("UPDATE sessions SET total_tokens = 0 WHERE id = 'ses_full'");
  expect(await command('replay', String(aside.id))).toMatchObject({ stdout: `replayed ${aside.id}\n` });
  await stack.settled();
  await expectAllRecorded(stack, [...events, poison]);
  // The message that no proxy sent stays; the one that still cannot be recorded is set aside again; the other four are replayed.
  await pool.query("INSERT INTO quarantine (code, reason, bytes) VALUES ('not_proxied', '', '{}')");
  const { writer, operator } = stack.urls;
  const env = childEnvironment({ DATABASE_URL: writer.databaseUrl, NATS_URL: operator.natsUrl });
  await run(process.execPath, [quarantineCommand, 'replay', '--all'], { env });
  await stack.settled();
  expect(await stack.count('quarantine')).toBe(10);
  expect(await stack.count('quarantine WHERE replayed_at IS NULL')).toBe(5);
});

test("an event that was forged with the writer's NATS user, by a stream that takes in its subject too, is set aside", async () => {
  const stack = await startWriterStack();
  const writer = await connectBus({ url: stack.urls.writer.natsUrl, name: 'agp-writer' });
  onTestFinished(() => writer.close());
  const { streams } = await writer.jetstreamManager({ checkAPI: false });
  await streams.update(eventStream, { subjects: [eventSubject, announcementSubject] });
  const [event, forged] = [makeEvent(), makeEvent()];
  writer.publish(announcementSubject, JSON.stringify(forged));
  await writer.flush();
  stack.publish([event]);
  await stack.outbox.drain(5_000);
  await stack.start();
  await stack.settled();
  const { rows } = await stack.database.pool.query('SELECT code, bytes FROM quarantine');
  expect(rows.find(({ code }) => code === 'not_proxied')?.bytes.toString()).toBe(JSON.stringify(forged));
  const recorded = await stack.database.pool.query('SELECT id FROM events');
  expect(recorded.rows.map(({ id }) => toPublicId('evt', id))).toEqual([event.id]);
});

test('killed between commit and acknowledgement: recorded once, and announced by the next writer', async () => {
  const stack = await startWriterStack();
  const events = traffic(300);
  stack.publish(events);
  await stack.outbox.drain(5_000);
  const args = [
    stack.urls.writer.databaseUrl,
    stack.urls.writer.natsUrl,
    stack.urls.writer.redisUrl,
    String(ackWaitMs),
  ];
  for (let crash = 0; crash < 2; crash += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'support/crash-after-commit.ts'), ...args]);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  }
  const committed = await stack.count('events');
  expect(committed).toBeGreaterThan(0);
  expect(stack.announced).toHaveLength(0);
  await stack.start();
  await stack.settled();
  await expectAllRecorded(stack, events);
});

test('a stop records the events it holds and leaves the rest to the next writer at once', async () => {
  const stack = await startWriterStack();
  const events = traffic(4_000);
  stack.publish(events);
  await stack.outbox.drain(20_000);
  const first = await stack.start({ ackWaitMs: 60_000 });
  await eventually(async () => expect(await stack.count('events')).toBeGreaterThan(0), 5);
  await Promise.all([first.stop(), first.stop()]);
  const recorded = await stack.count('events');
  const info = await (await stack.connection.jetstreamManager()).consumers.info('AGP_EVENTS', 'writer');
  expect(info.num_ack_pending).toBe(0);
  // Whole messages are left; some of their events may be recorded.
  expect(info.num_pending).toBeGreaterThanOrEqual((events.length - recorded) / maxEventsInMessage);
  await stack.start({ ackWaitMs: 60_000 });
  await stack.settled();
  await expectAllRecorded(stack, events);
});

test('a stop while Postgres is away gives the messages back', async () => {
  const stack = await startWriterStack({ ownPostgres: true });
  const writer = await stack.start({ ackWaitMs: 60_000 }, { shutdownGraceSeconds: 1 });
  await stack.postgres?.stop();
  const events = traffic(200);
  stack.publish(events);
  await stack.outbox.drain(5_000);
  await setTimeout(500);
  await writer.stop();
  await stack.postgres?.start();
  await stack.start({ ackWaitMs: 60_000 });
  await stack.settled();
  await expectAllRecorded(stack, events);
});
