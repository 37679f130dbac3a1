import type { Settled } from '@agp/db';
import type { Outcome } from './senders/post.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** After the first, second ... failure, in milliseconds: three days together. */
const pausesMs = [
  ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour],
  ...[12 * hour, 12 * hour, 12 * hour, 12 * hour, 8 * hour],
];

/** What a try comes to: delivered, tried again after a pause, never sooner than its receiver asks, or given up. @param attempts before it */
export function planNext({ delivered, error, waitMs }: Outcome, attempts: number, chance = Math.random()): Settled {
  if (delivered) return { state: 'delivered', error };
  const pauseMs = pausesMs[attempts];
  if (pauseMs === undefined) return { state: 'dead', error };
  // So that messages that failed together are not tried again together.
  return { state: 'waiting', error, inMs: Math.max(Math.round(pauseMs * (0.8 + 0.4 * chance)), waitMs ?? 0) };
}
