import { eventually, startTestStack } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createBudgetReservations } from './budget-reservations.ts';
import { connectRedis } from './connect-redis.ts';

function open(url: string) {
  let connections = 0;
  const redis = connectRedis({ url, commandTimeoutMs: 2_000 });
  redis.on('ready', () => (connections += 1));
  onTestFinished(() => redis.disconnect());
  const reservations = createBudgetReservations(redis);
  const held = { eventId: crypto.randomUUID(), agentId: crypto.randomUUID(), day: '2030-01-01', nanoUsd: 7 };
  return { redis, reserve: () => reservations.reserve(held, null), connections: () => connections };
}

test('a server that has become a replica is left, and whoever stands behind its name then is asked', async () => {
  await using stack = await startTestStack({ redis: true });
  const admin = open(stack.redisUrl);
  await eventually(() => expect(admin.redis.status).toBe('ready'));
  const { redis, reserve, connections } = open(stack.urls.proxy.redisUrl);
  await eventually(() => expect(redis.status).toBe('ready'));
  await admin.redis.replicaof('127.0.0.1', 9);
  await expect(reserve()).rejects.toThrow('READONLY');
  await eventually(() => expect(connections()).toBeGreaterThan(1));
  await admin.redis.replicaof('NO', 'ONE');
  await eventually(async () => expect(await reserve()).toMatchObject({ seq: 1 }));
});

test('a connection on which nothing is answered is given up', async () => {
  await using stack = await startTestStack({ redis: true });
  const { redis, connections } = open(stack.urls.proxy.redisUrl);
  await eventually(() => expect(redis.status).toBe('ready'));
  const closed = new Promise((resolve) => redis.once('close', resolve));
  stack.redis.pause();
  await closed;
  stack.redis.resume();
  await eventually(() => expect(connections()).toBeGreaterThan(1));
});
