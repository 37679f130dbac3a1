import { startTestStack } from '@agp/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectRedis } from './connect-redis.ts';
import { createIdleSessions } from './idle-sessions.ts';

function makeIds() {
  let count = 0;
  return () => `ses_${++count}`;
}

test('two replicas put an agent into one session until it has been idle', async () => {
  await using stack = await startTestStack({ redis: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  await new Promise((resolve) => redis.once('ready', resolve));
  const newId = makeIds();
  let now = 0;
  const options = { idleSeconds: 60, now: () => now };
  const one = createIdleSessions(redis, options);
  const two = createIdleSessions(redis, options);
  const first = await one.resolve('agt_a', newId);
  expect(await two.resolve('agt_a', newId)).toBe(first);
  expect(await one.resolve('agt_b', newId)).not.toBe(first);
  const key = 'agp:idle-session:agt_a';
  expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
  // As if most of the time had passed.
  await redis.pexpire(key, 30_000);
  now += 30_000;
  expect(await one.resolve('agt_a', newId)).toBe(first);
  expect(await redis.pttl(key), 'activity keeps the session').toBeGreaterThan(30_000);
  await redis.pexpire(key, 1);
  now += 60_000;
  await expect.poll(() => redis.exists(key)).toBe(0);
  const next = await two.resolve('agt_a', newId);
  expect(next).not.toBe(first);
  expect(await one.resolve('agt_a', newId)).toBe(next);
  redis.disconnect();
});

test('a value in Redis that is no id of a session is replaced by a new one', async () => {
  await using stack = await startTestStack({ redis: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  await new Promise((resolve) => redis.once('ready', resolve));
  const newId = makeIds();
  for (const value of ['', 'no session', 'ses_a\r\nX-Evil: 1', 'ses_ä', `ses_${'a'.repeat(65)}`]) {
    await redis.set('agp:idle-session:agt_a', value);
    const sessions = createIdleSessions(redis, { idleSeconds: 60 });
    const id = await sessions.resolve('agt_a', newId);
    expect(id).toMatch(/^ses_\d+$/);
    expect(await redis.get('agp:idle-session:agt_a')).toBe(id);
  }
  redis.disconnect();
});

test('many first requests at once open one session', async () => {
  await using stack = await startTestStack({ redis: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  await new Promise((resolve) => redis.once('ready', resolve));
  const sessions = createIdleSessions(redis, { idleSeconds: 60 });
  const newId = makeIds();
  const ids = await Promise.all(Array.from({ length: 50 }, () => sessions.resolve('agt_a', newId)));
  expect(new Set(ids).size).toBe(1);
  redis.disconnect();
});

test('without Redis the session of a replica goes on, and no request fails', async () => {
  await using stack = await startTestStack({ redis: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 60_000 });
  await new Promise((resolve) => redis.once('ready', resolve));
  let now = 0;
  const sessions = createIdleSessions(redis, { idleSeconds: 60, now: () => now });
  const newId = makeIds();
  const first = await sessions.resolve('agt_a', newId);
  await stack.redis.stop();
  now += 5_000;
  const during = await Promise.all(Array.from({ length: 10 }, () => sessions.resolve('agt_a', newId)));
  expect(new Set(during)).toEqual(new Set([first]));
  const fresh = await Promise.all(Array.from({ length: 10 }, () => sessions.resolve('agt_b', newId)));
  expect(new Set(fresh).size).toBe(1);
  redis.disconnect();
});

test('a clock that is set back does not end the session that an agent is in', async () => {
  await using stack = await startTestStack({ redis: true });
  const redis = connectRedis({ url: stack.redisUrl, commandTimeoutMs: 5_000 });
  await new Promise((resolve) => redis.once('ready', resolve));
  const newId = makeIds();
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const [one, two] = [1, 2].map(() => createIdleSessions(redis, { idleSeconds: 2 }));
  const first = await one?.resolve('agt_a', newId);
  vi.setSystemTime(Date.now() - 3_600_000);
  for (let index = 0; index < 6; index += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await one?.resolve('agt_a', newId);
  }
  expect(await two?.resolve('agt_a', newId)).toBe(first);
  redis.disconnect();
});
