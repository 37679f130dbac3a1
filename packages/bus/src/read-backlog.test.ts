import { setTimeout as sleep } from 'node:timers/promises';
import { startTestStack } from '@agp/testing';
import { AckPolicy, RetentionPolicy } from 'nats';
import { expect, test } from 'vitest';
import { connectBus } from './connect.ts';
import { eventStream, eventSubject, writerConsumer } from './names.ts';
import { makeReadBacklog, readBacklog } from './read-backlog.ts';

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
