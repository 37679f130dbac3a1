import { setTimeout as sleep } from 'node:timers/promises';
import { startTestStack } from '@agp/testing';
import { AckPolicy, nanos, RetentionPolicy } from 'nats';
import { expect, test } from 'vitest';
import { connectBus } from './connect.ts';
import { eventStream, eventSubject, makeReadBacklog, readBacklog, writerConsumer } from './streams.ts';

test('acknowledged messages that a killed server left in the stream are not what writers have yet to record', async () => {
  await using stack = await startTestStack({ nats: true });
  const bus = await connectBus({ url: stack.natsUrl, name: 'test' });
  const manager = await bus.jetstreamManager();
  // Such a stream keeps what is acknowledged.
  await manager.streams.add({ name: eventStream, subjects: [eventSubject], retention: RetentionPolicy.Limits });
  await manager.consumers.add(eventStream, { durable_name: writerConsumer, ack_policy: AckPolicy.Explicit });
  const jetstream = bus.jetstream();
  const consumer = await jetstream.consumers.get(eventStream, writerConsumer);
  const acknowledgeNext = async () => expect(await (await consumer.next())?.ackAck()).toBe(true);

  await jetstream.publish(eventSubject, 'recorded');
  const oldAt = performance.now();
  await acknowledgeNext();
  expect(await readBacklog(bus)).toMatchObject({ pending: 0, unacknowledged: 0, oldestMs: 0 });

  const read = makeReadBacklog(bus);
  await sleep(1_000);
  const lookAt = performance.now();
  await read();
  await jetstream.publish(eventSubject, 'waits');
  const { pending, oldestMs } = await read();
  expect(pending).toBe(1);
  expect(oldestMs).toBeLessThanOrEqual(performance.now() - lookAt);
  // Without an earlier look it may be as old as the first message.
  const { oldestMs: atMost } = await readBacklog(bus);
  expect(atMost).toBeGreaterThan(lookAt - oldAt - 100);

  // What waits grows older, however often others come.
  for (let times = 0; times < 3; times += 1) {
    await sleep(100);
    await jetstream.publish(eventSubject, 'later');
    await read();
  }
  expect((await read()).oldestMs).toBeGreaterThanOrEqual(300);
  for (let times = 0; times < 4; times += 1) await acknowledgeNext();
  expect(await read()).toMatchObject({ pending: 0, unacknowledged: 0, oldestMs: 0 });
  await bus.close();
});

test('a message that is never acknowledged counts for a while only, once nothing waits behind it', async () => {
  await using stack = await startTestStack({ nats: true });
  const bus = await connectBus({ url: stack.natsUrl, name: 'test' });
  const manager = await bus.jetstreamManager();
  await manager.streams.add({ name: eventStream, subjects: [eventSubject], retention: RetentionPolicy.Workqueue });
  const durable = { durable_name: writerConsumer, ack_policy: AckPolicy.Explicit, ack_wait: nanos(100) };
  await manager.consumers.add(eventStream, durable);
  const jetstream = bus.jetstream();
  const consumer = await jetstream.consumers.get(eventStream, writerConsumer);
  const read = makeReadBacklog(bus);
  await jetstream.publish(eventSubject, 'lost by the server');
  await consumer.next();
  await jetstream.publish(eventSubject, 'waits');
  await sleep(400);
  const behind = await read();
  expect(behind.pending).toBe(1);
  expect(behind.oldestMs).toBeGreaterThanOrEqual(400);
  const deliverAll = async () => {
    for await (const _ of await consumer.fetch({ max_messages: 5, expires: 1_000 }));
    return read();
  };
  await expect.poll(deliverAll).toMatchObject({ pending: 0, unacknowledged: 2, oldestMs: 300 });
  await bus.close();
});
