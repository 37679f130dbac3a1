import { describeStarvation, isStarved, type Starvation } from './watch-starvation.ts';

/** What services and the balancer answer when they lack time: each says so with a 503, and none of it was forwarded. */
const refusedForTime = /(^|: |answered )503\b/;

/**
 * Says what failures under load mean. A 503 on a starved machine says nothing about the product; the same 503 on one with time to
 * spare is a failure, and so is everything else on either.
 *
 * @param failures as callers saw them, for example `stream: 503 storage unavailable`
 * @returns null if nothing failed, else a sentence that begins with `failed` or with `not judged`
 */
export function judgeFailures(failures: readonly string[], starvation: Starvation): string | null {
  if (failures.length === 0) return null;
  const [refused, broken] = [true, false].map((wanted) =>
    failures.filter((each) => refusedForTime.test(each) === wanted),
  );
  const seen = describeStarvation(starvation);
  const counts = [...Map.groupBy(failures, (each) => each)].map(([text, { length }]) => `${length} x ${text}`);
  const shown = counts.slice(0, 5).join('; ');
  if ((broken ?? []).length === 0 && isStarved(starvation))
    return `not judged: ${refused?.length} requests got 503 while the machine was starved (${seen}): ${shown}. Run it again on a quieter machine`;
  return `failed: ${broken?.length} requests broke and ${refused?.length} got 503 (${seen}): ${shown}`;
}
