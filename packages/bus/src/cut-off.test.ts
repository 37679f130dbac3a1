import { eventually, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type BusStatus, connectBus } from './connect.ts';
import { type DeliveredEvent, EventConsumer } from './consume-events.ts';
import { eventStream } from './names.ts';
import { Outbox } from './outbox.ts';

const stream = { replicas: 3, maxBytes: 64 * 1024 ** 2 };

test('proxies and writers whose NATS server is cut off from its cluster go to another one, and lose nothing', async () => {
  await using stack = await startTestStack({ nats: 'cluster' });
  const { nodes, url } = stack.natsCluster;
  const reported: BusStatus[] = [];
  const connection = await connectBus({ url, name: 'agp-test', onStatus: (status) => reported.push(status) });
  onTestFinished(() => connection.close());
  const cutOff = nodes.find((node) => node.url.endsWith(connection.getServer()));
  if (!cutOff) throw new Error('the connection leads elsewhere');
  const outbox = new Outbox(connection);
  const delivered: DeliveredEvent[] = [];
  const take = (event: DeliveredEvent) => {
    delivered.push(event);
    event.acknowledge();
  };
  const consumer = new EventConsumer(connection, { stream, maxHeld: 1_000, onEvent: take });
  onTestFinished(async () => {
    outbox.stop();
    await consumer.drain();
  });
  outbox.add('before', 'before');
  await eventually(() => expect(delivered).toHaveLength(1));

  cutOff.cutOff();
  outbox.add('meanwhile', 'meanwhile');
  expect(await outbox.drain(90_000)).toBe(0);
  await eventually(() => expect(new Set(delivered.map(({ messageId }) => messageId)).size).toBe(2));
  expect(reported).toContain('leaving');

  cutOff.rejoin();
  const admin = await connectBus({ url, name: 'admin' });
  onTestFinished(() => admin.close());
  const { streams } = await admin.jetstreamManager({ checkAPI: false });
  await eventually(async () => {
    const { cluster, state } = await streams.info(eventStream);
    expect(cluster?.replicas?.map(({ current }) => current)).toEqual([true, true]);
    expect(state.messages).toBe(0);
  });
});
