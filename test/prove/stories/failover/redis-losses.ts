import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis, type Redis } from '@agp/reservations';
import { expect } from 'vitest';
import { waitFor } from '../../../system/start-system.ts';
import type { Report } from '../../story.ts';
import { Spender } from './spender.ts';
import type { Replicas } from './start-replicas.ts';
import type { Loss } from './under-load.ts';

/** What is done to Redis for a while. */
type Disturb = (replicas: Replicas, redis: Redis, awayMs: number) => Promise<void>;

export const evictionPolicies = [
  'noeviction',
  'allkeys-lru',
  'allkeys-random',
  'volatile-lru',
  'volatile-ttl',
] as const;

/** How long sentinels take to see that the master is gone, and to agree. */
const detectionMs = 2_000;

/** The master is killed while its replica lacks the latest, and that is promoted. */
const loseMaster: Disturb = async ({ system }, _, awayMs) => {
  const { master, replica, promote } = system.stack.redisPair;
  replica.pause();
  await sleep(300);
  await master.kill();
  replica.resume();
  await sleep(detectionMs);
  await promote();
  await sleep(awayMs);
};

const flush: Disturb = async (_, redis, awayMs) => {
  for (let time = 0; time < 3; time += 1) {
    await redis.flushall();
    await sleep(awayMs / 3);
  }
};

/** Others fill the memory, again and again, so that what is full stays so. */
const fill =
  (policy: (typeof evictionPolicies)[number]): Disturb =>
  async (_, redis, awayMs) => {
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(used + 4 * 1024 ** 2), 'maxmemory-policy', policy);
    // Memory is bounded long before it is full: proxies look every second.
    await sleep(2_000);
    const until = Date.now() + awayMs;
    const junk = 'x'.repeat(10_000);
    for (let index = 0; Date.now() < until; index += 1) {
      await redis.set(`junk:${index}`, junk, 'EX', 3_600).catch(() => {});
      if (index % 50 === 0) await sleep(20);
    }
    await redis.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
  };

export const disturbances = {
  promoted: loseMaster,
  flushed: flush,
  ...Object.fromEntries(evictionPolicies.map((policy) => [`full-${policy}`, fill(policy)])),
} as Record<'promoted' | 'flushed' | `full-${(typeof evictionPolicies)[number]}`, Disturb>;

/** Room that the cap has when the disturbance begins, in requests. */
const roomInRequests = 300;

/** An agent spends all of its cap while Redis is disturbed. */
export function loseReservations(disturb: Disturb, isStrict: boolean, report: () => Report): Loss {
  let spender: Spender;
  return {
    mayFail: [],
    async happen(replicas, { awayMs }) {
      const redis = connectRedis({ url: replicas.system.stack.redisUrl, commandTimeoutMs: 5_000 });
      await waitFor('the connection to Redis', () => redis.status === 'ready');
      spender = await Spender.start(replicas);
      await spender.setRoom(roomInRequests);
      await spender.passMore(10);
      await disturb(replicas, redis, awayMs);
      await waitFor('the cap to be spent', () => spender.isSpent());
      redis.disconnect();
    },
    async mend() {
      const { overInRequests, refused } = await spender.stop();
      report()({
        'cap passed by, in requests': overInRequests.toFixed(1),
        'in flight at most': spender.atOnce,
        ...Object.fromEntries(Object.entries(refused).map(([name, count]) => [`under the cap: ${name}`, count])),
      });
      // Without BUDGET=strict what was in flight when Redis lost it may pass, at each loss.
      expect(overInRequests).toBeLessThanOrEqual(isStrict ? 0 : spender.atOnce);
      const documented = ['429 daily budget exceeded', '429 daily budget held by requests in flight'];
      const unknown = Object.keys(refused).filter((name) => !documented.includes(name));
      expect(unknown.filter((name) => !(isStrict && name === '503 budget unavailable'))).toEqual([]);
    },
  };
}
