import { makeUsage, type Usage } from '@agp/pricing';

const names = Object.keys(makeUsage({})) as (keyof Usage)[];

/** Adds what a call used to a sum, which is changed. Sums may pass the bound that a single call's figures are held to. */
export function addUsage(sum: Usage, usage: Usage): void {
  for (const name of names) sum[name] += usage[name];
}

/** What several calls used together. */
export function sumUsage(first: Usage, others: readonly Usage[]): Usage {
  const sum = { ...first };
  for (const usage of others) addUsage(sum, usage);
  return sum;
}
