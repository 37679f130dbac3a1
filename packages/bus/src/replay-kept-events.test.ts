import { setTimeout } from 'node:timers/promises';
import { eventually, startTestStack } from '@agp/testing';
import { DiscardPolicy, type FetchOptions, type JetStreamClient, type JetStreamManager, RetentionPolicy } from 'nats';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type BusConnection, connectBus } from './connect.ts';
import { replayKeptEvents } from './replay-kept-events.ts';
import { eventStream, eventSubject, keptStream, keptSubject } from './streams.ts';

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

/** Without the minutes before `since`, so that tests can say what is older. */
const replaySince = (since: Date) => replayKeptEvents(operator, since, 0);

/** Both streams, with nothing that copies from one to the other: a test says what is kept, and when. */
beforeEach(async () => {
  for (const name of [eventStream, keptStream]) await manager.streams.delete(name).catch(() => false);
  await manager.streams.add({ name: eventStream, subjects: [eventSubject], retention: RetentionPolicy.Workqueue });
  await manager.streams.add({ name: keptStream, subjects: [keptSubject] });
  await setTimeout(5);
  begun = new Date();
  // No message is of the same millisecond.
  await setTimeout(5);
});

afterEach(() => vi.restoreAllMocks());

async function keep(messages: number): Promise<void> {
  for (let index = 0; index < messages; index += 1) await admin.jetstream().publish(keptSubject, Buffer.from('{}'));
}

/** The id of a message that was published. */
async function readId(seq: number): Promise<string> {
  return (await manager.streams.getMessage(eventStream, { seq })).header.get('Nats-Msg-Id');
}

const keepCopy = (msgID: string) => admin.jetstream().publish(keptSubject, Buffer.from('{}'), { msgID });

/** The time at which the stream took a message in, in milliseconds. */
async function timeOf(seq: number): Promise<number> {
  return (await manager.streams.getMessage(keptStream, { seq })).time.getTime();
}

/** Replays into a stream that has no room until `work` is done, with the first messages in hand. */
async function replayAround(work: () => Promise<unknown>) {
  await manager.streams.purge(eventStream);
  await manager.streams.update(eventStream, { max_msgs: 1, discard: DiscardPolicy.New });
  await admin.jetstream().publish(eventSubject, Buffer.from('{}'));
  const replaying = replaySince(begun);
  await eventually(async () => {
    const { delivered } = await manager.consumers.info(keptStream, 'replay');
    expect(delivered.stream_seq).toBe(64);
  });
  await work();
  await manager.streams.update(eventStream, { max_msgs: -1 });
  return replaying;
}

test('it publishes all kept events, but none that is kept while it runs', async () => {
  await keep(200);
  const all = { first: 1, last: 200, messages: 200, events: 200, copies: 0, notKept: 0, keptFrom: null };
  expect(await replaySince(begun)).toEqual(all);
  expect(await replayAround(() => keep(50))).toEqual(all);
  await setTimeout(5);
  const later = new Date();
  await keep(10);
  expect(await replaySince(later)).toMatchObject({ first: 251, last: 260, messages: 10, keptFrom: null });
  await setTimeout(5);
  expect(await replaySince(new Date())).toMatchObject({ messages: 0, events: 0, keptFrom: null });
});

test('events that arrived just before the time, by the clock of NATS, are published too', async () => {
  await keep(3);
  await setTimeout(5);
  expect(await replayKeptEvents(operator, new Date())).toMatchObject({ messages: 3, keptFrom: null });
});

/** Drops messages of the first fetch on their way, after NATS has counted them as delivered. */
function loseInFirstFetch(isLost: (index: number) => boolean): void {
  const jetstream = operator.jetstream();
  let fetches = 0;
  const get = async (stream: string, name: string) => {
    const consumer = await jetstream.consumers.get(stream, name);
    const fetch = async function* (options: FetchOptions) {
      const isFirst = fetches === 0;
      fetches += 1;
      let index = 0;
      for await (const message of await consumer.fetch(options)) {
        if (!(isFirst && isLost(index))) yield message;
        index += 1;
      }
    };
    return { fetch, delete: () => consumer.delete() };
  };
  const publish = jetstream.publish.bind(jetstream);
  vi.spyOn(operator, 'jetstream').mockReturnValue({ publish, consumers: { get } } as unknown as JetStreamClient);
}

test.each<[string, (index: number) => boolean]>([
  ['at the beginning', (index) => index < 10],
  ['in the middle', (index) => index >= 20 && index < 40],
  ['at the end', (index) => index >= 50],
  ['altogether', () => true],
])('messages that get lost on their way %s are asked for again', async (_where, isLost) => {
  await keep(200);
  loseInFirstFetch(isLost);
  expect(await replaySince(begun)).toMatchObject({ messages: 200, events: 200, notKept: 0, keptFrom: null });
  expect((await manager.streams.info(eventStream)).state.messages).toBe(200);
});

test('events from before the stream was made are missing', async () => {
  await keep(3);
  const { created } = await manager.streams.info(keptStream);
  const { keptFrom, events } = await replaySince(new Date(Date.parse(created) - 3_600_000));
  expect([keptFrom, events]).toEqual([new Date(created), 3]);
});

test('messages discarded before it starts are missing, even the last one', async () => {
  await keep(3);
  const last = await timeOf(3);
  await manager.streams.purge(keptStream, { seq: 3 });
  expect(await replaySince(begun)).toMatchObject({ messages: 1, events: 1, keptFrom: new Date(last) });
  await manager.streams.purge(keptStream);
  expect(await replaySince(begun)).toMatchObject({ messages: 0, events: 0, keptFrom: new Date(last) });
  // Nothing came since.
  expect(await replaySince(new Date(last + 1))).toMatchObject({ messages: 0, events: 0, keptFrom: null });
});

test('messages discarded while it runs, in the middle, are missing', async () => {
  await keep(200);
  const from = new Date(await timeOf(101));
  // Of one that is discarded before it is read: the copy alone is left.
  await replaySince(begun);
  await keepCopy(await readId(90));
  const middle = await replayAround(() => manager.streams.purge(keptStream, { seq: 101 }));
  expect(middle).toMatchObject({ last: 201, messages: 165, copies: 0, notKept: 36, keptFrom: from });
});

test.each([0, 1])('messages discarded at the end are missing, with %i that came meanwhile', async (newer) => {
  await keep(100);
  const last = await timeOf(100);
  const cut = await replayAround(async () => {
    await keep(newer);
    await manager.streams.purge(keptStream, { seq: 101 });
  });
  expect(cut).toMatchObject({ last: 100, messages: 64, events: 64, notKept: 36 });
  expect(cut.keptFrom?.getTime()).toBeGreaterThanOrEqual(last);
});

test('however often it runs, it publishes each message once', async () => {
  await manager.streams.delete(eventStream);
  const republish = { src: eventSubject, dest: keptSubject };
  await manager.streams.add({ name: eventStream, subjects: [eventSubject], republish });
  // More than it reads at once, so that it also meets nothing but copies.
  const all = Array.from({ length: 150 }, (_, index) => String(index));
  for (const name of all) await admin.jetstream().publish(eventSubject, name);
  /** The messages that it publishes, in order. */
  const replay = async () => {
    const { state } = await manager.streams.info(eventStream);
    const { first, last, messages, copies } = await replaySince(begun);
    expect(messages + copies).toBe(last - first + 1);
    const published = Array.from({ length: messages }, (_, index) => state.last_seq + 1 + index);
    const read = (seq: number) => manager.streams.getMessage(eventStream, { seq });
    return (await Promise.all(published.map(read))).map((message) => message.string());
  };
  for (const _ of [1, 2, 3]) expect(await replay()).toEqual(all);
  expect((await manager.streams.info(keptStream)).state.messages).toBe(600);
});

test('a copy is published if its original is gone, from another stream, or older than the time asked for', async () => {
  await keep(4);
  await replaySince(begun);
  const ids = await Promise.all([1, 2, 3, 4].map(readId));
  const keepCopies = async () => {
    for (const id of ids) await keepCopy(id);
  };
  await keepCopies();
  expect(await replaySince(begun)).toMatchObject({ messages: 4 });
  const third = new Date(await timeOf(3));
  expect(await replaySince(third)).toMatchObject({ messages: 4 });
  await manager.streams.purge(keptStream, { seq: 4 });
  expect(await replaySince(begun)).toMatchObject({ messages: 4 });
  await manager.streams.purge(keptStream, { seq: 5 });
  expect(await replaySince(begun)).toMatchObject({ messages: 4 });

  await manager.streams.delete(keptStream);
  await manager.streams.add({ name: keptStream, subjects: [keptSubject] });
  await keep(4);
  await keepCopies();
  expect(await replaySince(begun)).toMatchObject({ messages: 8 });
});
