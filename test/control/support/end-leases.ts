import { once } from 'node:events';
import { connectRedis } from '@agp/reservations';

/**
 * Lets the leases of all that is reserved end now, as half a minute without its proxy does.
 *
 * @param redisUrl of a user who may do everything
 * @param isKept tells by its agent's UUID what is left alone
 */
export async function endLeases(redisUrl: string, isKept: (agentId: string) => boolean = () => false): Promise<void> {
  const redis = connectRedis({ url: redisUrl, commandTimeoutMs: 5_000 });
  try {
    await once(redis, 'ready');
    for (const key of await redis.keys('agp:{budget}:*:held')) {
      const base = key.slice(0, -':held'.length);
      for (const [eventId, value] of Object.entries(await redis.hgetall(key))) {
        if (isKept(value.split('|')[2] ?? '')) continue;
        for (const leases of ['leases', 'forwarded']) await redis.zadd(`${base}:${leases}`, 'XX', 1, eventId);
      }
    }
  } finally {
    redis.disconnect();
  }
}
