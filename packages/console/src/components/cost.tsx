import type { CostUsageEntry, StreamEvent } from '@agp/core/contracts';
import { formatCount, lacksPrice } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { apiQuery, type UsageRange, usageQuery } from '../api/api.ts';
import { Money } from './values.tsx';

const unpricedQuery = { ...apiQuery('/api/v1/costs/unpriced'), staleTime: 60_000 };
const hint = 'No price of its model is known: Costs, Unpriced says what to add';

/** What calls cost; if tokens cost nothing since no price is known, so it says. @param of `unpriced`: calls of a sum without a price */
export function Cost(of: { usd: number; tokens: number; model?: string | undefined; unpriced?: number | undefined }) {
  const { usd, tokens, unpriced = 0 } = of;
  const { data } = useQuery({ ...unpricedQuery, enabled: usd === 0 && tokens > 0 });
  const lacks = lacksPrice(of, data?.data ?? []);
  return (
    <>
      {!lacks && <Money usd={usd} />}
      {(lacks || unpriced > 0) && (
        <span className="tone-warn nowrap" title={hint}>
          {!lacks && <br />}
          {lacks ? 'no price' : `+ ${formatCount(unpriced)} without price`}
        </span>
      )}
    </>
  );
}

type Call = Pick<StreamEvent, 'cost_usd' | 'prompt_tokens' | 'completion_tokens' | 'model'>;

/** What one call cost. */
export const CallCost = ({ of: { cost_usd, prompt_tokens, completion_tokens, model } }: { of: Call }) => (
  <Cost usd={cost_usd} tokens={prompt_tokens + completion_tokens} model={model} />
);

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
