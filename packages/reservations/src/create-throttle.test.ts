import { startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import { connectRedis } from './connect-redis.ts';
import { createThrottle } from './create-throttle.ts';

test('a throttle counts per key, across replicas, and without Redis for itself', async () => {
  await using stack = await startTestStack({ redis: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  await new Promise((resolve) => redis.once('ready', resolve));
  const limits = { name: 'test', points: 3, durationSeconds: 60 };
  const [one, two] = [createThrottle(redis, limits), createThrottle(redis, limits)];
  const decisions = [];
  for (const throttle of [one, two, one, two]) decisions.push((await throttle.consume('10.0.0.1')).allowed);
  expect(decisions).toEqual([true, true, true, false]);
  const refused = await one.consume('10.0.0.1');
  expect(refused.retryAfterSeconds).toBeGreaterThan(50);
  expect((await one.consume('10.0.0.2')).allowed).toBe(true);
  await stack.redis.stop();
  const alone = [];
  for (let index = 0; index < 4; index += 1) alone.push((await one.consume('10.0.0.3')).allowed);
  expect(alone).toEqual([true, true, true, false]);
  redis.disconnect();
});
