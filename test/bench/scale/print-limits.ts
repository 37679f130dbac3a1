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

/** Prints at how many requests a second each part is full, what is full first, first. */
export function printLimits(scale: Scale, serverCores: number): void {
  const marginal = findMarginalUsage(scale);
  const usage = medianOfEach(
    scale.rounds.map((round) => round.usage),
    Object.keys(marginal),
  );
  const rows = listParts(serverCores)
    .map(({ part, cores, text, isScaledOut }) => {
      const [whole, more] = [usage[part] as number, marginal[part] as number];
      return { text, isScaledOut, least: (cores / whole) * 1e6, most: more > 0 ? (cores / more) * 1e6 : Number.NaN };
    })
    .toSorted((a, b) => a.least - b.least);
  const show = (limit: number) => (Number.isNaN(limit) ? '-' : Math.round(limit).toLocaleString('en')).padStart(9);
  console.log(`\nOne more request than at a quarter of the load costs ${describeUsage(marginal)}`);
  console.log(
    'Each part is full at so many requests/s: if all cost what they did here, and if more cost no more than that',
  );
  for (const { text, least, most } of rows) console.log(`  ${show(least)} ${show(most)}  ${text}`);
  const first = rows.find(({ isScaledOut }) => !isScaledOut);
  if (first) console.log(`With enough proxies and writers, ${first.text.split(':')[0]} is full first.`);
}
