import { lacksPrice } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/api.ts';
import { Money } from './values.tsx';

/** What calls cost; if their tokens cost nothing since no price is known, so it says. */
export function Cost(of: { usd: number; tokens: number; model?: string | undefined }) {
  const enabled = of.usd === 0 && of.tokens > 0;
  const { data } = useQuery({ ...apiQuery('/api/v1/costs/unpriced'), staleTime: 60_000, enabled });
  if (!lacksPrice(of, data?.data ?? [])) return <Money usd={of.usd} />;
  return (
    <span className="tone-warn nowrap" title="No price of its model is known: Costs, Unpriced says what to add">
      no price
    </span>
  );
}
