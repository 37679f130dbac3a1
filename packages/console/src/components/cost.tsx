import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/api.ts';
import { Money } from './values.tsx';

/**
 * What calls cost; if their tokens cost nothing since no price is known, so it says.
 * @param model of a single call; without it any may have been used
 */
export function Cost({ usd, tokens, model }: { usd: number; tokens: number; model?: string | undefined }) {
  const isForNothing = usd === 0 && tokens > 0;
  const { data } = useQuery({ ...apiQuery('/api/v1/costs/unpriced'), staleTime: 60_000, enabled: isForNothing });
  const isUnpriced =
    isForNothing && data?.data.some((row) => row.unit === null && (model === undefined || row.model === model));
  if (!isUnpriced) return <Money usd={usd} />;
  return (
    <span className="tone-warn nowrap" title="No price of its model is known: Costs, Unpriced says what to add">
      no price
    </span>
  );
}
