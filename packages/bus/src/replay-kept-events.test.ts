import { setTimeout } from 'node:timers/promises';
import { startTestStack } from '@agp/local-stack/testing';
import { DiscardPolicy, type JetStreamManager, RetentionPolicy } from 'nats';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BusConnection, connectBus } from './connect.ts';
import { eventStream, eventSubject, keptStream, keptSubject } from './names.ts';
import { replayKeptEvents } from './replay-kept-events.ts';

let admin: BusConnection;
let operator: BusConnection;
let manager: JetStreamManager;
let begun: Date;

beforeAll(async () => {
  const stack = await startTestStack({ nats: true });
  admin = await connectBus({ url: stack.natsUrl, name: 'admin' });
  operator = await connectBus({ url: stack.urls.operator.natsUrl, name: 'agp-operator' });
  manager = await admin.jetstreamManager();
  return async () => {
    await Promise.all([admin.close(), operator.close()]);
    await stack[Symbol.asyncDispose]();
  };
});

/** Both streams, with nothing that copies from one to the other: a test says what is kept, and when. */
beforeEach(async () => {
  for (const name of [eventStream, keptStream]) await manager.streams.delete(name).catch(() => false);
  await manager.streams.add({ name: eventStream, subjects: [eventSubject], retention: RetentionPolicy.Workqueue });
  await manager.streams.add({ name: keptStream, subjects: [keptSubject] });
  await setTimeout(5);
  begun = new Date();
});

async function keep(messages: number): Promise<void> {
  for (let index = 0; index < messages; index += 1) await admin.jetstream().publish(keptSubject, Buffer.from('{}'));
}

/** The time at which the stream took a message in, in milliseconds. */
async function timeOf(seq: number): Promise<number> {
  return (await manager.streams.getMessage(keptStream, { seq })).time.getTime();
}

/** Replays into a stream that has no room until `work` is done, with the first messages in hand. */
async function replayAround(work: () => Promise<unknown>) {
  await manager.streams.purge(eventStream);
  await manager.streams.update(eventStream, { max_msgs: 1, discard: DiscardPolicy.New });
  await admin.jetstream().publish(eventSubject, Buffer.from('{}'));
  const replaying = replayKeptEvents(operator, begun);
  await vi.waitFor(async () => {
    const { delivered } = await manager.consumers.info(keptStream, 'replay');
    expect(delivered.stream_seq).toBe(64);
  });
  await work();
  await manager.streams.update(eventStream, { max_msgs: -1 });
  return replaying;
}

test('all of it is kept, and nothing of what is kept while it runs is published', async () => {
  await keep(200);
  expect(await replayKeptEvents(operator, begun)).toEqual({ messages: 200, events: 200, keptFrom: null });
  expect(await replayAround(() => keep(50))).toEqual({ messages: 200, events: 200, keptFrom: null });
  await setTimeout(5);
  const later = new Date();
  await keep(10);
  expect(await replayKeptEvents(operator, later)).toEqual({ messages: 10, events: 10, keptFrom: null });
  await setTimeout(5);
  expect(await replayKeptEvents(operator, new Date())).toEqual({ messages: 0, events: 0, keptFrom: null });
});

test('what came before the stream was made is missing', async () => {
  await keep(3);
  const { created } = await manager.streams.info(keptStream);
  const { keptFrom, events } = await replayKeptEvents(operator, new Date(Date.parse(created) - 3_600_000));
  expect([keptFrom, events]).toEqual([new Date(created), 3]);
});

test('what was discarded before is missing, the last message included', async () => {
  await keep(3);
  const last = await timeOf(3);
  await manager.streams.purge(keptStream, { seq: 3 });
  expect(await replayKeptEvents(operator, begun)).toEqual({ messages: 1, events: 1, keptFrom: new Date(last) });
  await manager.streams.purge(keptStream);
  expect(await replayKeptEvents(operator, begun)).toEqual({ messages: 0, events: 0, keptFrom: new Date(last) });
  // Nothing came since.
  expect(await replayKeptEvents(operator, new Date(last + 1))).toEqual({ messages: 0, events: 0, keptFrom: null });
});

test('what is discarded while it runs is missing, in the middle', async () => {
  await keep(200);
  const from = new Date(await timeOf(101));
  const middle = await replayAround(() => manager.streams.purge(keptStream, { seq: 101 }));
  expect(middle).toEqual({ messages: 164, events: 164, keptFrom: from });
});

test.each([0, 1])(
  'what is discarded at the end is missing, with %i that came meanwhile',
  async (newer) => {
    await keep(100);
    const last = await timeOf(100);
    const cut = await replayAround(async () => {
      await keep(newer);
      await manager.streams.purge(keptStream, { seq: 101 });
    });
    expect(cut).toMatchObject({ messages: 64, events: 64 });
    expect(cut.keptFrom?.getTime()).toBeGreaterThanOrEqual(last);
  },
  15_000,
);
