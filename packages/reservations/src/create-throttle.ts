import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

interface ThrottleOptions {
  /** Throttles with one name share the counters. */
  name: string;
  /** The most for each key in each window. */
  points: number;
  durationSeconds: number;
}

interface ThrottleDecision {
  allowed: boolean;
  /** Seconds until the window ends, at least 1. */
  retryAfterSeconds: number;
}

export interface Throttle {
  consume(key: string): Promise<ThrottleDecision>;
}

/** All replicas share it through Redis; while that is down each counts for itself. */
export function createThrottle(redis: Redis, options: ThrottleOptions): Throttle {
  const limits = {
    keyPrefix: `agp:throttle:${options.name}`,
    points: options.points,
    duration: options.durationSeconds,
  };
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    // Refusals are remembered until the window ends, so that a flood does not reach Redis.
    inMemoryBlockOnConsumed: options.points,
    insuranceLimiter: new RateLimiterMemory(limits),
  });
  const decide = (allowed: boolean, result: RateLimiterRes): ThrottleDecision => ({
    allowed,
    retryAfterSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
  });
  return {
    async consume(key) {
      try {
        return decide(true, await limiter.consume(key));
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return decide(false, refusal);
        throw refusal;
      }
    },
  };
}
