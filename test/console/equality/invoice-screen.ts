import type { ReconciledRow } from '@agp/core/contracts';
import { formatUsd, roundUsd } from '@agp/core/explain';
import { expect } from 'vitest';
import type { Screen } from './screens-of-sums.ts';
import { named } from './show-values.ts';

const dayMs = 86_400_000;

/** Of the month of yesterday; its rows are of one day. */
export const invoiceScreen: Screen = {
  path: '/costs?view=invoice',
  expected: async (ask) => {
    const day = new Date(Date.now() - dayMs).toISOString().slice(0, 10);
    const { rows } = await ask<{ rows: ReconciledRow[] }>(`/api/v1/costs/reconciliation?from=${day}`);
    expect(rows.length).toBe(3);
    const total = (name: keyof ReconciledRow) =>
      Math.round(1e9 * rows.reduce((sum, row) => sum + Number(row[name]), 0)) / 1e9;
    const cents = (usd: number) => `${roundUsd(usd)} {${formatUsd(usd)} USD}`;
    const amounts = (of: (name: keyof ReconciledRow) => number) => ({
      ...{ Recorded: cents(of('recorded_usd')), Billed: cents(of('billed_usd')), Gap: cents(of('gap_usd')) },
      'Gap %': `${((100 * of('gap_usd')) / of('billed_usd')).toFixed(2)} %`,
      ...{ 'Not recorded': cents(of('unrecorded_usd')), 'In doubt': cents(of('doubtful_usd')) },
      ...{ 'Other day': cents(of('other_day_usd')), 'No price': cents(of('unpriced_usd')) },
      'Not here': cents(of('beside_usd')),
    });
    const models = rows.toSorted((a, b) => Math.abs(b.gap_usd) - Math.abs(a.gap_usd));
    return {
      tables: {
        'Invoice by day': [amounts(total), amounts(total)],
        'Invoice by model': models.map((row) => ({ Model: named(row.model), ...amounts((name) => Number(row[name])) })),
      },
    };
  },
};
