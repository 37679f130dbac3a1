import type { BudgetDefinition, BudgetUse, StoredBudget, Unit } from '@agp/budgets';
import { formatCount, formatShare, roundUsd } from '@agp/core/explain';
import { describeMatch } from '@agp/documents';
import { type Column, formatTime } from './table.ts';
import type { Style } from './terminal.ts';

/** What is used of a budget or a daily cap, by one of those that it is split by. */
export interface BudgetLine
  extends Pick<BudgetDefinition, 'unit' | 'amount' | 'on_exceeded'>,
    Pick<BudgetUse, 'used' | 'held' | 'left' | 'expected'> {
  budget: string;
  whom: string;
  percent: number;
  /** When it begins anew. */
  to: string | null;
}

export interface ListedLine extends BudgetLine, Pick<BudgetDefinition, 'window' | 'zone' | 'thresholds'> {
  key: string;
  from: string | null;
  isCounted: boolean;
}

/** `12.50 USD`, `1,500 tokens`. */
export const formatAmount = (amount: number, unit: Unit): string =>
  unit === 'usd' ? `${roundUsd(amount)} USD` : `${formatCount(amount)} ${unit}`;

/** An amount of 0 is used up. */
export const toPercent = (used: number, amount: number): number =>
  amount === 0 ? 100 : Math.floor((used / amount) * 100);

/** `team sales, model gpt-5*; each agent: nightly`. */
function describeWhom({ match, split_by }: BudgetDefinition, whose: string): string {
  const whom = describeMatch(match);
  return split_by === 'none' ? whom : `${whom}; each ${split_by.replace('label:', '')}${whose && `: ${whose}`}`;
}

/** A line for whoever used most of a budget. @param isEach for the others too */
export function toLines({ budget, window, uses, use_count, is_counted }: StoredBudget, isEach: boolean): ListedLine[] {
  const { name, split_by, amount } = budget;
  const none = { key: '', name: null, used: 0, held: 0, left: amount, expected: null };
  const shown = uses.length === 0 ? [none] : isEach ? uses : uses.slice(0, 1);
  const others = isEach || use_count < 2 ? '' : ` (most of ${formatCount(use_count)})`;
  return shown.map((use) => ({
    ...{ ...budget, ...use, ...window, window: budget.window, budget: name, isCounted: is_counted },
    whom: describeWhom(budget, split_by === 'none' ? '' : `${use.name ?? use.key}${others}`),
    percent: toPercent(use.used, amount),
  }));
}

/** Red if it is used up, yellow from its first threshold on. */
function chooseStyle(percent: number, thresholds: readonly number[] = []): Style | undefined {
  if (percent >= 100) return 'red';
  return thresholds.some((each) => each <= percent) ? 'yellow' : undefined;
}

export const columns: Column<BudgetLine & Partial<ListedLine>>[] = [
  { head: 'BUDGET', cell: ({ budget }) => budget, least: 12 },
  { head: 'FOR', cell: ({ whom }) => whom, least: 16 },
  { head: 'AMOUNT', right: true, cell: ({ amount, unit }) => formatAmount(amount, unit) },
  {
    head: 'WINDOW',
    cell: ({ window = '', zone = 'UTC' }) => (zone === 'UTC' ? window : `${window} ${zone}`),
    spare: 1,
  },
  {
    head: 'USED',
    right: true,
    cell: ({ percent }) => formatShare(percent / 100, ' %'),
    style: ({ percent, thresholds }) => chooseStyle(percent, thresholds),
  },
  { head: 'HELD', right: true, cell: ({ held, unit }) => formatAmount(held, unit), spare: 4 },
  { head: 'LEFT', right: true, cell: ({ left, unit }) => formatAmount(left, unit) },
  {
    head: 'EXPECTED',
    right: true,
    cell: ({ expected, unit }) => (expected === null ? '-' : formatAmount(expected, unit)),
    style: ({ expected, amount }) => ((expected ?? 0) > amount ? 'yellow' : undefined),
    spare: 2,
  },
  { head: 'ANEW', cell: ({ to }) => formatTime(to), spare: 3 },
  { head: '', cell: ({ on_exceeded, isCounted = true }) => `${on_exceeded}${isCounted ? '' : ', being counted'}` },
];
