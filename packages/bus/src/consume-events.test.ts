import { setTimeout } from 'node:timers/promises';
import { eventually, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  connectBus,
  type DeliveredEvent,
  EventConsumer,
  eventStream,
  eventSubject,
  maxEventsInMessage,
  writerConsumer,
} from './index.ts';

const ackWaitMs = 1_500;
const enough = 10 * maxEventsInMessage;

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
      // Publishing is not under test here: it is tried again while the server restarts.
      await eventually(() =>
        jetstream.publish(eventSubject, name, { msgID: name.split('\n', 1)[0] as string, timeout: 500 }),
      );
    }
  };
  const names = () => delivered.map(({ bytes }) => Buffer.from(bytes).toString());
  const readPending = async () => {
    const manager = await connection.jetstreamManager();
    const info = await manager.consumers.info(eventStream, writerConsumer);
    return { fetched: info.num_ack_pending, waiting: info.num_pending };
  };
  const arrived = (count: number) => eventually(() => expect(delivered.length).toBe(count));
  return { stack, connection, consumer, delivered, names, publish, arrived, readPending };
}

test('messages arrive in order with their ids, and leave the stream when they are acknowledged', async () => {
  const { publish, arrived, delivered, names, consumer, readPending } = await open(enough);
  await publish('a', 'b', 'c');
  await arrived(3);
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(delivered.map(({ messageId }) => messageId)).toEqual(['a', 'b', 'c']);
  expect(consumer.held).toBe(3);
  for (const event of delivered) event.acknowledge();
  expect(consumer.held).toBe(0);
  await eventually(async () => expect(await readPending()).toEqual({ fetched: 0, waiting: 0 }));
});

test('it never holds more than its limit, and goes on as soon as there is room', async () => {
  const maxHeld = 4 * maxEventsInMessage;
  const { publish, arrived, delivered, names, consumer, readPending } = await open(maxHeld);
  const messages = Array.from({ length: 30 }, (_, message) =>
    Array.from({ length: maxEventsInMessage }, (_, event) => `m${message}e${event}`),
  );
  await publish(...messages.map((events) => events.join('\n')));
  await arrived(maxHeld);
  await setTimeout(300);
  expect(delivered).toHaveLength(maxHeld);
  expect(await readPending()).toEqual({ fetched: 4, waiting: 26 });
  for (let acknowledged = 0; acknowledged < 30 * maxEventsInMessage; acknowledged += 1) {
    expect(consumer.held).toBeLessThanOrEqual(maxHeld);
    await eventually(() => expect(delivered.length).toBeGreaterThan(acknowledged));
    delivered[acknowledged]?.acknowledge();
  }
  expect(names()).toEqual(messages.flat());
  await eventually(async () => expect(await readPending()).toEqual({ fetched: 0, waiting: 0 }));
});

test('a message leaves the stream when the last of its events is acknowledged, not before', async () => {
  const { publish, arrived, delivered, readPending } = await open(enough);
  await publish('a\nb\nc');
  await arrived(3);
  for (const event of delivered.slice(0, 2)) event.acknowledge();
  await setTimeout(300);
  expect(await readPending()).toEqual({ fetched: 1, waiting: 0 });
  delivered[2]?.acknowledge();
  await eventually(async () => expect(await readPending()).toEqual({ fetched: 0, waiting: 0 }));
});

test('a message that is held for long is not delivered to another writer', async () => {
  const { stack, publish, arrived, delivered } = await open(enough);
  await publish('slow');
  await arrived(1);
  const other = await connectBus({ url: stack.natsUrl, name: 'other' });
  const stolen: DeliveredEvent[] = [];
  const rival = new EventConsumer(other, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2, ackWaitMs },
    maxHeld: enough,
    onEvent: (event) => stolen.push(event),
  });
  await setTimeout(3 * ackWaitMs);
  expect(stolen).toHaveLength(0);
  expect(delivered).toHaveLength(1);
  await rival.drain();
  await other.close();
});

test('it goes on after NATS was stopped, killed and paused; held messages arrive once', async () => {
  const { stack, publish, arrived, delivered, names, readPending } = await open(enough);
  await publish('before');
  await arrived(1);
  await stack.nats.stop();
  await setTimeout(200);
  await stack.nats.start();
  await publish('after stop');
  await arrived(2);
  await stack.nats.kill();
  await stack.nats.start();
  await publish('after kill');
  await arrived(3);
  stack.nats.pause();
  await setTimeout(ackWaitMs + 1_000);
  stack.nats.resume();
  await publish('after pause');
  await arrived(4);
  await setTimeout(ackWaitMs + 1_000);
  expect(names()).toEqual(['before', 'after stop', 'after kill', 'after pause']);
  for (const event of delivered) event.acknowledge();
  await eventually(async () => expect(await readPending()).toEqual({ fetched: 0, waiting: 0 }));
});

test('it makes the stream and the consumer again when they are gone', async () => {
  const { connection, publish, arrived, delivered } = await open(enough);
  await publish('first');
  await arrived(1);
  const manager = await connection.jetstreamManager();
  await manager.consumers.delete(eventStream, writerConsumer);
  await publish('second');
  // The new consumer delivers the held message again, which is not held twice.
  await arrived(2);
  await manager.streams.delete(eventStream);
  await publish('third');
  await arrived(3);
  expect(delivered.map(({ messageId }) => messageId)).toEqual(['first', 'second', 'third']);
});

test('released messages go to another writer at once', async () => {
  const { stack, publish, arrived, consumer } = await open(enough);
  await publish('a', 'b');
  await arrived(2);
  await consumer.drain();
  consumer.release();
  expect(consumer.held).toBe(0);
  const other = await connectBus({ url: stack.natsUrl, name: 'other' });
  const taken: DeliveredEvent[] = [];
  const next = new EventConsumer(other, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2, ackWaitMs: 60_000 },
    maxHeld: enough,
    onEvent: (event) => taken.push(event),
  });
  await eventually(() => expect(taken).toHaveLength(2));
  await next.drain();
  await other.close();
});

test('a request that was lost is made again, also where the clock was set back meanwhile', async () => {
  await using stack = await startTestStack({ nats: true });
  const connection = await connectBus({ url: stack.natsUrl, name: 'consume-test' });
  let lost = 0;
  const losing: typeof connection = Object.create(connection, {
    publish: {
      value: (...[subject, data, options]: Parameters<typeof connection.publish>) => {
        if (lost === 0 && subject.includes('.MSG.NEXT.')) lost += 1;
        else connection.publish(subject, data, options);
      },
    },
  });
  const delivered: DeliveredEvent[] = [];
  const consumer = new EventConsumer(losing, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2, ackWaitMs },
    maxHeld: enough,
    onEvent: (event) => delivered.push(event),
  });
  await eventually(() => expect(lost).toBe(1));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await connection.jetstream().publish(eventSubject, 'late', { msgID: 'late' });
  await eventually(() => expect(delivered).toHaveLength(1));
  await consumer.drain();
  await connection.close();
});
