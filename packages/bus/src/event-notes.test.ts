import { eventually, startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import {
  connectBus,
  type DeliveredEvent,
  EventConsumer,
  eventSubject,
  maxEventsInMessage,
  Outbox,
  replayKeptEvents,
} from './index.ts';

test('what is stored beside events arrives with them, however much it is, and again in a replay', async () => {
  await using stack = await startTestStack({ nats: true });
  const connection = await connectBus({ url: stack.natsUrl, name: 'notes-test' });
  const delivered: DeliveredEvent[] = [];
  const consumer = new EventConsumer(connection, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2, keepMs: 3_600_000 },
    maxHeld: 10 * maxEventsInMessage,
    onEvent: (event) => {
      delivered.push(event);
      event.acknowledge();
    },
  });
  const outbox = new Outbox(connection);
  try {
    await eventually(() => expect(consumer.notMade).toBeNull());
    const begun = new Date();
    // Sixteen of the long ones are four times what a message's headers may hold.
    const long = JSON.stringify({ text: 'x'.repeat(15_000) });
    const tooLong = JSON.stringify('x'.repeat(100_000));
    for (let index = 0; index < 40; index += 1) {
      const notes = [null, '{"request_id":"a"}', long, index === 7 ? tooLong : long][index % 4] ?? null;
      outbox.add(`event-${index}`, `{"event":${index}}`, notes);
    }
    expect(await outbox.drain(10_000)).toBe(0);
    await eventually(() => expect(delivered).toHaveLength(40));
    const read = (some: DeliveredEvent[]) =>
      some.map(({ bytes, notes }) => `${Buffer.from(bytes)} ${JSON.stringify(notes ?? null)}`).sort();
    const expected = Array.from({ length: 40 }, (_, index) => {
      const notes = ['null', '{"request_id":"a"}', long, index === 7 ? 'null' : long][index % 4];
      return `{"event":${index}} ${notes}`;
    });
    expect(read(delivered)).toEqual(expected.sort());
    await eventually(async () => expect((await replayKeptEvents(connection, begun)).events).toBe(40));
    await eventually(() => expect(delivered.length).toBeGreaterThanOrEqual(80));
    expect(read(delivered.slice(40, 80))).toEqual(expected.sort());
  } finally {
    outbox.stop();
    await consumer.drain();
    await connection.close();
  }
});

test('a header that holds no notes leaves the events as they are', async () => {
  await using stack = await startTestStack({ nats: true });
  const connection = await connectBus({ url: stack.natsUrl, name: 'notes-test' });
  const delivered: DeliveredEvent[] = [];
  const consumer = new EventConsumer(connection, {
    stream: { replicas: 1, maxBytes: 64 * 1024 ** 2 },
    maxHeld: 10 * maxEventsInMessage,
    onEvent: (event) => delivered.push(event),
  });
  try {
    await eventually(() => expect(consumer.notMade).toBeNull());
    const { headers } = await import('nats');
    for (const text of ['{', '{}', '[]', `${'['.repeat(30_000)}`, '7']) {
      const written = headers();
      written.set('Agp-Event-Notes', text);
      await connection.jetstream().publish(eventSubject, '{}\n{}', { headers: written });
    }
    await eventually(() => expect(delivered).toHaveLength(10));
    expect(delivered.every(({ notes }) => notes === undefined)).toBe(true);
  } finally {
    await consumer.drain();
    await connection.close();
  }
});
