import { medianOfEach } from '../median.ts';
import { describeUsage, type Usage } from '../product/product-usage.ts';
import type { Scale } from './print-scale.ts';

/** How many cores each part can have: those of its one thread, or of a machine of its own. */
function listParts(serverCores: number) {
  return [
    { part: 'proxy', cores: 1, text: 'one proxy: one core; start more', isScaledOut: true },
    { part: 'writer', cores: 1, text: 'one writer: one core; start more', isScaledOut: true },
    { part: 'redis', cores: 1, text: 'Redis: one core', isScaledOut: false },
    { part: 'postgres', cores: serverCores, text: `Postgres: ${serverCores} cores`, isScaledOut: false },
    { part: 'nats', cores: 3 * serverCores, text: `NATS: three servers of ${serverCores} cores`, isScaledOut: false },
  ];
}

/** What one more request costs: what is spent by the clock, and on waking up, does not grow with the load. */
function findMarginalUsage(scale: Scale): Usage {
  const parts = Object.keys(scale.rounds[0]?.usage ?? {});
  const usages = scale.rounds.map((busy, round) => {
    const calm = scale.calm[round] ?? busy;
    const more = busy.requests - calm.requests;
    const costs = parts.map((part) => {
      const spent = (busy.usage[part] as number) * busy.requests - (calm.usage[part] as number) * calm.requests;
      return [part, spent / more];
    });
    return Object.fromEntries(costs) as Usage;
  });
  return medianOfEach(usages, parts);
}

/** Prints at how many requests a second each part is full, by what the requests cost by which its two loads differ: what is full first, first. */
export function printLimits(scale: Scale, serverCores: number): void {
  const usage = findMarginalUsage(scale);
  const rows = listParts(serverCores)
    // Where a short measurement saw no cost, nothing can be said.
    .map((row) => ({ ...row, limit: (row.cores / Math.max(usage[row.part] as number, 0)) * 1e6 }))
    .toSorted((a, b) => a.limit - b.limit);
  console.log(`\nOne more request costs ${describeUsage(usage)}. By that each part is full at`);
  const show = (limit: number) => Math.round(limit).toLocaleString('en');
  for (const { text, limit } of rows) console.log(`  ${show(limit).padStart(8)} requests/s  ${text}`);
  const first = rows.find(({ isScaledOut }) => !isScaledOut);
  if (first)
    console.log(
      `With enough proxies and writers, ${first.text.split(':')[0]} is full first, at ${show(first.limit)} requests/s.`,
    );
}
