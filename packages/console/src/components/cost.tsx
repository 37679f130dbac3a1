import type { CostUsageEntry } from '@agp/core/contracts';
import { formatCount, lacksPrice } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { apiQuery, type UsageRange, usageQuery } from '../api/api.ts';
import { Money } from './values.tsx';

const unpricedQuery = { ...apiQuery('/api/v1/costs/unpriced'), staleTime: 60_000 };
const hint = 'No price of its model is known: Costs, Unpriced says what to add';

interface CostProps {
  usd: number;
  tokens: number;
  model?: string | undefined;
  /** Calls of the sum that had no price. */
  unpriced?: number;
}

/** What calls cost; if tokens cost nothing since no price is known, so it says. */
export function Cost({ unpriced = 0, ...of }: CostProps) {
  const enabled = of.usd === 0 && of.tokens > 0;
  const { data } = useQuery({ ...unpricedQuery, enabled });
  const lacks = lacksPrice(of, data?.data ?? []);
  return (
    <>
      {!lacks && <Money usd={of.usd} />}
      {(lacks || unpriced > 0) && (
        <span className="tone-warn nowrap" title={hint}>
          {!lacks && <br />}
          {lacks ? 'no price' : `+ ${formatCount(unpriced)} without price`}
        </span>
      )}
    </>
  );
}

/** Pairs of a group and a model that are looked at. */
const most = 1_000;

/** Tells how many calls of a sum had no price, if any model has none. @param keyOf tells the sums by these groups apart */
export function useUnpriced(range: UsageRange, groups: readonly string[], keyOf: (sum: CostUsageEntry) => string) {
  const models = useQuery(unpricedQuery).data?.data ?? [];
  const enabled = models.some(({ unit }) => unit === null) && !groups.includes('model');
  const sums = useQuery({ ...usageQuery(range, [...groups, 'model'], most), enabled }).data?.data.usage ?? [];
  const counts = new Map<string, number>();
  for (const sum of sums)
    if (lacksPrice({ usd: sum.total_cost_usd, tokens: sum.total_tokens, model: sum.model }, models))
      counts.set(keyOf(sum), (counts.get(keyOf(sum)) ?? 0) + sum.request_count);
  return counts;
}
