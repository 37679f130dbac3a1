import { describeFrame, isIdle, nameOwner, type Sample } from './cpu-profile.ts';

const shownOwners = 24;
const shownFunctions = 15;

/** The time of samples by some key, the longest first. */
export function sumBy(samples: readonly Sample[], toKey: (sample: Sample) => string): [string, number][] {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    const key = toKey(sample);
    sums.set(key, (sums.get(key) ?? 0) + sample.ms);
  }
  return [...sums].toSorted(([, a], [, b]) => b - a);
}

/** Prints what the busy time of a profile was spent on: by package, then by function, without what these call. */
export function printShares(samples: readonly Sample[], requests: number): void {
  const busy = samples.filter(({ frame }) => !isIdle(frame));
  const whole = busy.reduce((sum, { ms }) => sum + ms, 0);
  const print = (rows: [string, number][]) => {
    for (const [name, ms] of rows) {
      const share = `${((100 * ms) / whole).toFixed(1).padStart(5)} %`;
      console.log(`  ${share} ${((ms * 1_000) / requests).toFixed(1).padStart(7)} us/request  ${name}`);
    }
  };
  console.log(
    `\n${((whole * 1_000) / requests).toFixed(0)} us a request on the main thread while profiled, by package:`,
  );
  print(sumBy(busy, ({ frame }) => nameOwner(frame)).slice(0, shownOwners));
  console.log('by function:');
  print(sumBy(busy, ({ frame }) => describeFrame(frame)).slice(0, shownFunctions));
}
