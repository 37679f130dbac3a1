import { makeUsage, type Usage } from '@agp/pricing';
import type { ReportedCall } from './operation.ts';

const names = Object.keys(makeUsage({})) as (keyof Usage)[];

/** Adds what a call used to a sum, which is changed. Sums may pass the bound that a single call's figures are held to. */
export function addUsage(sum: Usage, usage: Usage): void {
  for (const name of names) sum[name] += usage[name];
}

/** The same where there may be no sum yet. */
export function addToUsage(sum: Usage | null, usage: Usage): Usage {
  if (sum === null) return { ...usage };
  addUsage(sum, usage);
  return sum;
}

/** The sum of an answer's calls, and the calls themselves where there are several. */
export function sumCalls(calls: readonly ReportedCall[]): { usage: Usage | null; calls?: readonly ReportedCall[] } {
  let sum: Usage | null = null;
  for (const { usage } of calls) sum = addToUsage(sum, usage);
  return calls.length > 1 ? { usage: sum, calls } : { usage: sum };
}
