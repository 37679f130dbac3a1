import type { Usage } from '@agp/core/pricing';

/** What several calls used together. Sums may pass the bound that a single call's figures are held to. */
export function sumUsage(first: Usage, others: readonly Usage[]): Usage {
  const sum = { ...first };
  for (const usage of others) for (const name of Object.keys(sum) as (keyof Usage)[]) sum[name] += usage[name];
  return sum;
}
