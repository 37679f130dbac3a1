import { setTimeout } from 'node:timers/promises';
import { startTestStack } from '@agp/local-stack/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectBus, type DeliveredEvent, EventConsumer, eventStream, eventSubject, writerConsumer } from './index.ts';

const ackWaitMs = 3_000;

async function open(maxHeld: number) {
  const stack = await startTestStack({ nats: true });
  const connection = await connectBus({ url: stack.natsUrl, name: 'consume-test' });
  const delivered: DeliveredEvent[] = [];
  const consumer = new EventConsumer(connection, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2, ackWaitMs },
    maxHeld,
    onEvent: (event) => delivered.push(event),
  });
  onTestFinished(async () => {
    await consumer.drain();
    await connection.close();
    await stack[Symbol.asyncDispose]();
  });
  const jetstream = connection.jetstream();
  const publish = async (...names: string[]) => {
    for (const name of names) {
      // Publishing is not under test here: while the server restarts it is simply tried again.
      await vi.waitFor(() => jetstream.publish(eventSubject, name, { msgID: name, timeout: 500 }), { timeout: 15_000 });
    }
  };
  const names = () => delivered.map(({ bytes }) => Buffer.from(bytes).toString());
  const readPending = async () => {
    const manager = await connection.jetstreamManager();
    const info = await manager.consumers.info(eventStream, writerConsumer);
    return { fetched: info.num_ack_pending, waiting: info.num_pending };
  };
  const arrived = (count: number) => vi.waitFor(() => expect(delivered.length).toBe(count), { timeout: 20_000 });
  return { stack, connection, consumer, delivered, names, publish, arrived, readPending };
}

test('messages arrive in order with their ids, and leave the stream when they are acknowledged', async () => {
  const { publish, arrived, delivered, names, consumer, readPending } = await open(10);
  await publish('a', 'b', 'c');
  await arrived(3);
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(delivered.map(({ messageId }) => messageId)).toEqual(['a', 'b', 'c']);
  expect(consumer.held).toBe(3);
  for (const event of delivered) event.acknowledge();
  expect(consumer.held).toBe(0);
  await vi.waitFor(async () => expect(await readPending()).toEqual({ fetched: 0, waiting: 0 }));
});

test('never holds more than it may, and goes on as soon as there is room', async () => {
  const { publish, arrived, delivered, consumer, readPending } = await open(8);
  await publish(...Array.from({ length: 30 }, (_, index) => `m${index}`));
  await arrived(8);
  await setTimeout(300);
  expect(delivered).toHaveLength(8);
  expect(await readPending()).toEqual({ fetched: 8, waiting: 22 });
  let acknowledged = 0;
  while (acknowledged < 30) {
    expect(consumer.held).toBeLessThanOrEqual(8);
    await vi.waitFor(() => expect(delivered.length).toBeGreaterThan(acknowledged), { timeout: 10_000 });
    delivered[acknowledged++]?.acknowledge();
  }
  expect(new Set(delivered.map(({ messageId }) => messageId)).size).toBe(30);
});

test('a message that is held for long is delivered to nobody else', async () => {
  const { stack, publish, arrived, delivered } = await open(10);
  await publish('slow');
  await arrived(1);
  const other = await connectBus({ url: stack.natsUrl, name: 'other' });
  const stolen: DeliveredEvent[] = [];
  const rival = new EventConsumer(other, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2, ackWaitMs },
    maxHeld: 10,
    onEvent: (event) => stolen.push(event),
  });
  await setTimeout(3 * ackWaitMs);
  expect(stolen).toHaveLength(0);
  expect(delivered).toHaveLength(1);
  await rival.drain();
  await other.close();
});

test('goes on after NATS was stopped, killed and paused; what is held comes once', async () => {
  const { stack, publish, arrived, delivered, names, readPending } = await open(10);
  await publish('before');
  await arrived(1);
  await stack.nats.stop();
  await setTimeout(1_000);
  await stack.nats.start();
  await publish('after stop');
  await arrived(2);
  await stack.nats.kill();
  await stack.nats.start();
  await publish('after kill');
  await arrived(3);
  stack.nats.pause();
  await setTimeout(ackWaitMs + 2_000);
  stack.nats.resume();
  await publish('after pause');
  await arrived(4);
  await setTimeout(ackWaitMs + 1_000);
  expect(names()).toEqual(['before', 'after stop', 'after kill', 'after pause']);
  for (const event of delivered) event.acknowledge();
  await vi.waitFor(async () => expect(await readPending()).toEqual({ fetched: 0, waiting: 0 }));
}, 60_000);

test('makes the stream and the consumer again when they are gone', async () => {
  const { connection, publish, arrived, delivered } = await open(10);
  await publish('first');
  await arrived(1);
  const manager = await connection.jetstreamManager();
  await manager.consumers.delete(eventStream, writerConsumer);
  await publish('second');
  // The message that is held is new to the new consumer: it is still the one that is held.
  await arrived(2);
  await manager.streams.delete(eventStream);
  await publish('third');
  await arrived(3);
  expect(delivered.map(({ messageId }) => messageId)).toEqual(['first', 'second', 'third']);
}, 30_000);

test('what is released is there for another writer at once', async () => {
  const { stack, publish, arrived, consumer } = await open(10);
  await publish('a', 'b');
  await arrived(2);
  await consumer.drain();
  consumer.release();
  expect(consumer.held).toBe(0);
  const other = await connectBus({ url: stack.natsUrl, name: 'other' });
  const taken: DeliveredEvent[] = [];
  const next = new EventConsumer(other, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2, ackWaitMs: 60_000 },
    maxHeld: 10,
    onEvent: (event) => taken.push(event),
  });
  await vi.waitFor(() => expect(taken).toHaveLength(2), { timeout: 2_000 });
  await next.drain();
  await other.close();
});
