import { eventually, startTestStack } from '@agp/testing';
import type { NatsConnection } from 'nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectBus } from './connect.ts';
import { Outbox } from './outbox.ts';
import { unpackEvents } from './parcel.ts';
import { ensureEventStream, eventStream } from './streams.ts';

const limits = { replicas: 1, maxBytes: 64 * 1024 * 1024 };

async function readStreamIds(bus: NatsConnection): Promise<string[]> {
  const manager = await bus.jetstreamManager();
  const { state } = await manager.streams.info(eventStream);
  const ids: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const stored = await manager.streams.getMessage(eventStream, { seq });
    ids.push(...unpackEvents(stored.data).map((event) => Buffer.from(event).toString()));
  }
  return ids;
}

test('every event that is added reaches the stream once, in order', async () => {
  await using stack = await startTestStack({ nats: true });
  const bus = await connectBus({ url: stack.natsUrl, name: 'test' });
  await ensureEventStream(bus, limits);
  const outbox = new Outbox(bus);
  const ids = Array.from({ length: 2_500 }, (_, index) => `event-${index}`);
  for (const id of ids) expect(outbox.add(id, id)).toBe(true);
  expect(await outbox.drain(10_000)).toBe(0);
  expect(await readStreamIds(bus)).toEqual(ids);
  outbox.stop();
  await bus.close();
});

test('events added while NATS is killed and away arrive when it is back', async () => {
  await using stack = await startTestStack({ nats: true });
  const bus = await connectBus({ url: stack.natsUrl, name: 'test' });
  await ensureEventStream(bus, limits);
  const outbox = new Outbox(bus);
  const ids: string[] = [];
  const addSome = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const id = `event-${ids.length}`;
      ids.push(id);
      outbox.add(id, id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  await addSome(100);
  await stack.nats.kill();
  await addSome(300);
  await stack.nats.start();
  await addSome(100);
  expect(await outbox.drain(15_000)).toBe(0);
  expect((await readStreamIds(bus)).toSorted()).toEqual(ids.toSorted());
  outbox.stop();
  await bus.close();
});

test('a full outbox refuses and reports each further event', async () => {
  await using stack = await startTestStack({ nats: true });
  const bus = await connectBus({ url: stack.natsUrl, name: 'test' });
  await ensureEventStream(bus, limits);
  stack.nats.pause();
  let dropped = 0;
  const outbox = new Outbox(bus, {
    capacity: 10,
    onDrop: () => {
      dropped += 1;
    },
  });
  const taken = Array.from({ length: 15 }, (_, index) => outbox.add(`event-${index}`, `event-${index}`));
  expect(taken.filter(Boolean)).toHaveLength(10);
  expect(dropped).toBe(5);
  stack.nats.resume();
  expect(await outbox.drain(10_000)).toBe(0);
  expect(await readStreamIds(bus)).toHaveLength(10);
  outbox.stop();
  await bus.close();
});

test('an event that JetStream refuses is kept, reported and sent again', async () => {
  await using stack = await startTestStack({ nats: true });
  const bus = await connectBus({ url: stack.natsUrl, name: 'test' });
  await ensureEventStream(bus, { replicas: 1, maxBytes: 10_000 });
  const refusals: string[] = [];
  const outbox = new Outbox(bus, { onRefusal: (description) => refusals.push(description) });
  for (let index = 0; index < 20; index += 1) outbox.add(`event-${index}`, 'x'.repeat(1_000));
  expect(await outbox.drain(1_500)).toBeGreaterThan(0);
  expect(refusals.length).toBeGreaterThan(0);
  await ensureEventStream(bus, limits);
  expect(await outbox.drain(10_000)).toBe(0);
  outbox.stop();
  await bus.close();
});

test('a clock that is set back does not keep an unconfirmed event from being sent again', async () => {
  await using stack = await startTestStack({ nats: true });
  const bus = await connectBus({ url: stack.natsUrl, name: 'test' });
  const refusals: string[] = [];
  const outbox = new Outbox(bus, { onRefusal: (reason) => void refusals.push(reason) });
  outbox.add('early', 'early');
  await eventually(() => expect(refusals.length).toBeGreaterThan(0));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await ensureEventStream(bus, limits);
  expect(await outbox.drain(10_000)).toBe(0);
  expect(await readStreamIds(bus)).toEqual(['early']);
  outbox.stop();
  await bus.close();
});
