import { eventually, startTestStack } from '@agp/testing';
import { DiscardPolicy, type JetStreamManager, RetentionPolicy, StorageType } from 'nats';
import { beforeAll, expect, test } from 'vitest';
import { type BusConnection, connectBus } from './connect.ts';
import { Outbox } from './outbox.ts';
import {
  ensureEventStream,
  eventStream,
  eventSubject,
  keptStream,
  keptSubject,
  readBacklog,
  writerConsumer,
} from './streams.ts';

const limits = { replicas: 1, maxBytes: 10 * 1024 ** 2 };
const hourMs = 3_600_000;
let bus: BusConnection;

beforeAll(async () => {
  const stack = await startTestStack({ nats: true });
  bus = await connectBus({ url: stack.natsUrl, name: 'stream-test' });
  return async () => {
    await bus.close();
    await stack[Symbol.asyncDispose]();
  };
});

const manage = () => bus.jetstreamManager();
const isThere = async (name: string) =>
  (await manage()).streams.info(name).then(
    () => true,
    () => false,
  );

async function publish(ids: readonly string[]): Promise<void> {
  const outbox = new Outbox(bus);
  for (const id of ids) outbox.add(id, '{}');
  expect(await outbox.drain(5_000)).toBe(0);
  outbox.stop();
}

test('events are kept for their time, and no longer once keeping is switched off', async () => {
  expect(await ensureEventStream(bus, { ...limits, keepMs: hourMs })).toBeNull();
  await publish(['a', 'b', 'c']);
  await eventually(async () =>
    expect((await (await manage()).streams.info(keptStream)).state.messages).toBeGreaterThan(0),
  );
  expect(await ensureEventStream(bus, { ...limits, keepMs: 2 * hourMs })).toBeNull();
  const { config } = await (await manage()).streams.info(keptStream);
  expect(config).toMatchObject({ max_age: 2 * hourMs * 1e6, max_bytes: limits.maxBytes, discard: 'old' });
  expect(await ensureEventStream(bus, limits)).toBeNull();
  expect(await isThere(keptStream)).toBe(false);
  await publish(['d']);
  expect((await readBacklog(bus)).pending).toBeGreaterThan(1);
});

test('what comes while the streams are made is kept as well', async () => {
  const { streams } = await manage();
  for (const name of [eventStream, keptStream]) await streams.delete(name).catch(() => false);
  let isMade = false;
  const sending = (async () => {
    while (!isMade) {
      bus.publish(eventSubject, '{}');
      await bus.flush();
    }
  })();
  expect(await ensureEventStream(bus, { ...limits, keepMs: hourMs })).toBeNull();
  isMade = true;
  await sending;
  const count = async (name: string) => (await streams.info(name)).state.messages;
  const sent = await count(eventStream);
  expect(sent).toBeGreaterThan(0);
  await eventually(async () => expect(await count(keptStream)).toBe(sent));
});

test('a stream without copies keeps them from now on, or the reason is reported; it works either way', async () => {
  const { streams } = await manage();
  await streams.delete(eventStream);
  await streams.add({
    name: eventStream,
    subjects: [eventSubject],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
  });
  await publish(['e']);
  const notKept = await ensureEventStream(bus, { ...limits, keepMs: hourMs });
  expect((await readBacklog(bus)).pending).toBe(1);
  // Servers from 2.10 on can change their stream.
  const { config } = await streams.info(eventStream);
  expect(config).toMatchObject({ deny_purge: true, deny_delete: true });
  if (config.republish === undefined) expect(notKept).toMatch(/^events are not kept for a replay: /);
  else expect(notKept).toBeNull();
});

test('a kept stream that allowed deleting messages no longer does', async () => {
  const { streams } = await manage();
  await streams.delete(keptStream).catch(() => false);
  await streams.add({ name: keptStream, subjects: [keptSubject], storage: StorageType.File });
  expect(await ensureEventStream(bus, { ...limits, keepMs: hourMs })).toSatisfy(
    // A server that cannot add copies (2.9) reports it, after the kept stream is changed.
    (notKept) => notKept === null || /^events are not kept/.test(notKept),
  );
  expect((await streams.info(keptStream)).config).toMatchObject({ deny_purge: true, deny_delete: true });
  await expect(streams.update(keptStream, { deny_purge: false })).rejects.toThrow();
  await streams.delete(keptStream);
});

test('a problem with the copies is reported, and events are recorded all the same', async () => {
  const { streams } = await manage();
  for (const name of [eventStream, keptStream]) await streams.delete(name).catch(() => false);
  await streams.add({ name: 'SOMEBODY_ELSES', subjects: [keptSubject] });
  expect(await ensureEventStream(bus, { ...limits, keepMs: hourMs })).toMatch(
    /^events are not kept for a replay: .*overlap/,
  );
  await publish(['f']);
  expect((await readBacklog(bus)).pending).toBe(1);
});

test('where nothing can be told of the copies, the writer’s consumer is there all the same', async () => {
  const { streams, consumers } = await manage();
  for (const name of [eventStream, keptStream]) await streams.delete(name).catch(() => false);
  await streams.delete('SOMEBODY_ELSES');
  await ensureEventStream(bus, { ...limits, keepMs: hourMs });
  await consumers.delete(eventStream, writerConsumer);
  const halfBlind = Object.create(bus, {
    jetstreamManager: {
      value: async (options: object) => {
        const manager = await bus.jetstreamManager(options);
        const info = manager.streams.info.bind(manager.streams);
        manager.streams.info = (name) => (name === keptStream ? Promise.reject(new Error('TIMEOUT')) : info(name));
        return manager;
      },
    },
  }) as BusConnection;
  expect(await ensureEventStream(halfBlind, { ...limits, keepMs: hourMs })).toMatch(/^events are not kept.*TIMEOUT/);
  expect((await consumers.info(eventStream, writerConsumer)).num_pending).toBe(0);
});

test('if both do not fit on the disk, the event stream gets the room', async () => {
  const { streams } = await manage();
  for (const name of [eventStream, keptStream]) await streams.delete(name).catch(() => false);
  // The test's server may use 1 TB.
  const most = { replicas: 1, maxBytes: 600e9, keepMs: hourMs };
  expect(await ensureEventStream(bus, most)).toMatch(/^events are not kept for a replay: .*storage/);
  expect((await readBacklog(bus)).pending).toBe(0);
  expect((await streams.info(eventStream)).config.max_bytes).toBe(600e9);
});

test.each([
  ['', async () => {}],
  [
    ', nor where NATS does not say that',
    async (manager: JetStreamManager) => {
      manager.streams.info = () => Promise.reject(new Error('TIMEOUT'));
    },
  ],
])('a writer that is late, with other settings, deletes nothing that another has made%s', async (_, hinder) => {
  const { streams } = await manage();
  for (const name of [eventStream, keptStream, 'SOMEBODY_ELSES']) await streams.delete(name).catch(() => false);
  const late = Object.create(bus, {
    jetstreamManager: {
      value: async (options: object) => {
        const manager = await bus.jetstreamManager(options);
        const add = manager.streams.add.bind(manager.streams);
        manager.streams.add = async (config) => {
          if (config.name === eventStream) {
            await ensureEventStream(bus, { ...limits, keepMs: hourMs });
            await publish(['g']);
            await hinder(manager);
          }
          return add(config);
        };
        return manager;
      },
    },
  }) as BusConnection;
  await expect(ensureEventStream(late, { ...limits, maxBytes: 2 * limits.maxBytes, keepMs: hourMs })).rejects.toThrow();
  await eventually(async () => expect((await streams.info(keptStream)).state.messages).toBe(1));
});
