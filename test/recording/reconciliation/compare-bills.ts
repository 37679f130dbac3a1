import type { PlannedCall } from './plan-calls.ts';

/** One call on both sides. Costs are nano-dollars. */
export interface ReconciledCall {
  call: PlannedCall;
  billed: number;
  recorded: number;
  usageSource: string;
}

/** Calls of one kind, added up. */
export interface Comparison {
  name: string;
  exact: { calls: number; billed: number; recorded: number };
  estimated: { calls: number; billed: number; recorded: number; worst: number };
}

const sum = (calls: readonly ReconciledCall[], side: 'billed' | 'recorded') =>
  calls.reduce((total, call) => total + call[side], 0);

const add = (calls: readonly ReconciledCall[]) => ({
  calls: calls.length,
  billed: sum(calls, 'billed'),
  recorded: sum(calls, 'recorded'),
});

/** How far a record is off a bill, as a share of the bill. */
export function deviation({ billed, recorded }: { billed: number; recorded: number }): number {
  return billed === recorded ? 0 : recorded / billed - 1;
}

/** Adds up calls: those that the provider told the figures of, and those that were estimated. */
export function compareBills(name: string, calls: readonly ReconciledCall[]): Comparison {
  const estimated = calls.filter(({ usageSource }) => usageSource === 'estimated');
  const exact = calls.filter(({ usageSource }) => usageSource !== 'estimated');
  const worst = Math.max(0, ...estimated.map((call) => Math.abs(deviation(call))));
  return { name, exact: add(exact), estimated: { ...add(estimated), worst } };
}

const usd = (nano: number) => (nano / 1e9).toFixed(6);
const percent = (share: number) => `${(share * 100).toFixed(2)} %`;

/** A table in Markdown, in USD. */
export function printComparisons(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ name, exact, estimated }) => [
    name,
    exact.calls,
    usd(exact.billed),
    usd(exact.recorded),
    estimated.calls,
    usd(estimated.billed),
    usd(estimated.recorded),
    percent(deviation(estimated)),
    percent(estimated.worst),
  ]);
  const head = ['', 'exact', 'billed', 'recorded', 'estimated', 'billed', 'recorded', 'off by', 'worst call'];
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
