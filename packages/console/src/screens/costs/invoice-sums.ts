import { type BilledProvider, billedProviders, gapCauses, type ReconciledRow } from '@agp/core/contracts';
import { roundUsd } from '@agp/core/explain';
import { sumUsd } from '@agp/core/money';
import { utcDay } from '../../format/format.ts';

export const vendors: Readonly<Record<BilledProvider, string>> = { openai: 'OpenAI', anthropic: 'Anthropic' };

const amounts = ['recorded_usd', 'billed_usd', 'gap_usd', ...gapCauses.map((name) => `${name}_usd` as const)] as const;

/** The sums of some rows, in USD, under the name that they have in common. */
export type InvoiceSum = Pick<ReconciledRow, (typeof amounts)[number]> & { name: string };

export function sumRows(rows: readonly ReconciledRow[], name: string): InvoiceSum {
  const sums = amounts.map((amount) => [amount, sumUsd(rows.map((row) => row[amount]))]);
  return { name, ...(Object.fromEntries(sums) as Omit<InvoiceSum, 'name'>) };
}

/** A sum for each day or model. */
export const sumEach = (rows: readonly ReconciledRow[], by: 'day' | 'model'): InvoiceSum[] =>
  [...Map.groupBy(rows, (row) => row[by])].map(([name, some]) => sumRows(some, name));

/** A month such as `2026-10` in words; its year if that is not this one. */
export function nameMonth(month: string, now = Date.now()): string {
  const year = month.startsWith(utcDay(now).slice(0, 4)) ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', ...year }).format(Date.parse(month));
}

/** The month before or after one. */
export function shiftMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by)).toISOString().slice(0, 7);
}

/** The days of a month that its rows have, such as `16 to 31 October`, or the month if they begin and end with it. */
export function nameDays(month: string, rows: readonly ReconciledRow[], now?: number): string {
  const days = [...new Set(rows.map(({ day }) => Number(day.slice(-2))))];
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const [year, number] = month.split('-').map(Number) as [number, number];
  const name = nameMonth(month, now);
  if (days.length === 0 || (first === 1 && last === new Date(Date.UTC(year, number, 0)).getUTCDate())) return name;
  return first === last ? `${first} ${name}` : `${first} to ${last} ${name}`;
}

/** What nothing explains, in words: what was billed beside the proxy, and what was recorded and not billed, neither made less by the other. */
function tellRest(rows: readonly ReconciledRow[]): string {
  const sumParts = (sign: 1 | -1) => sumUsd(rows.map(({ beside_usd: usd }) => Math.max(0, sign * usd)));
  const parts = [
    { usd: sumParts(1), told: 'did not pass here' },
    { usd: sumParts(-1), told: 'recorded was not billed' },
  ].filter(({ usd }) => usd >= 0.005);
  if (parts.length === 0) return 'all of the gap is explained';
  return parts.map(({ usd, told }) => `${roundUsd(usd)} ${told}`).join('; ');
}

/** What is known of a month in a sentence, such as `October: 1,204.50 USD recorded, 1,240.00 billed by OpenAI; 20.10 did not pass here.` */
export function tellMonth(month: string, rows: readonly ReconciledRow[], now?: number): string {
  const { recorded_usd, billed_usd } = sumRows(rows, month);
  const of = billedProviders.filter((each) => rows.some(({ provider }) => provider === each));
  const both = `${roundUsd(recorded_usd)} USD recorded, ${roundUsd(billed_usd)} billed by ${of.map((each) => vendors[each]).join(' and ')}`;
  return `${nameDays(month, rows, now)}: ${both}; ${tellRest(rows)}.`;
}
