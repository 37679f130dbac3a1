/** Where the buckets of a span end, in milliseconds: a call is in the first whose bound it is below. */
const bounds = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 102_400, 204_800] as const;

const buckets = [...bounds.map((bound) => `under_${bound}_ms` as const), 'longer' as const];

/** Columns of `daily_usage`, `hourly_usage` and `hourly_labelled` that count calls by a span of their events, the shortest first. */
export const bucketColumns = {
  duration_ms: buckets,
  first_byte_ms: buckets.map((name) => `first_byte_${name}` as const),
};

export type Span = keyof typeof bucketColumns;
export type BucketColumn = (typeof bucketColumns)[Span][number];
export const spans = Object.keys(bucketColumns) as Span[];

/** Columns of `hourly_usage` and `hourly_labelled` that are added up; `daily_usage` has them too. */
export const hourlySums = [
  ...(['prompt_tokens', 'completion_tokens', 'cost_usd', 'event_count', 'request_count', 'failed_count'] as const),
  ...bucketColumns.duration_ms,
  ...bucketColumns.first_byte_ms,
];

/** The place among its columns of a span in milliseconds. */
export function findBucket(ms: number): number {
  const at = bounds.findIndex((bound) => ms < bound);
  return at < 0 ? bounds.length : at;
}

/**
 * Estimates the milliseconds that a part (0 to 1) of the calls stayed below, as if those of a bucket were spread evenly over it.
 * @param counts calls in each bucket
 * @returns null without any
 */
export function estimateQuantile(counts: readonly number[], part: number): number | null {
  let left = part * counts.reduce((sum, count) => sum + count, 0);
  if (left === 0) return null;
  const at = counts.findIndex((count) => {
    if (count >= left) return true;
    left -= count;
    return false;
  });
  const low = bounds[at - 1] ?? 0;
  // The last bucket has no end.
  const high = bounds[at] ?? 2 * low;
  return Math.round(low + ((high - low) * left) / (counts[at] as number));
}
