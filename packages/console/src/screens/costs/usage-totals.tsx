import { expectOfMonth } from '@agp/core/calendar';
import type { CostUsageEntry } from '@agp/core/contracts';
import { formatCount, formatEstimate } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { type UsageRange, usageQuery } from '../../api/api.ts';
import { Cost } from '../../components/cost.tsx';
import { Stat } from '../../components/layout.tsx';
import { Errors, Latencies } from '../../components/results.tsx';
import { Money } from '../../components/values.tsx';
import { compareUsd, formatShortCount } from '../../format/format.ts';
import { findBefore } from './usage-entries.ts';

/** The sums of a range, against as long before it. */
export function UsageTotals({ all, range }: { all: CostUsageEntry; range: UsageRange }) {
  const before = findBefore(range);
  const earlier = useQuery({
    ...usageQuery({ ...before?.range, agent_id: range.agent_id }, []),
    enabled: before !== null,
  });
  const [was] = earlier.data?.data.usage ?? [];
  const { total_cost_usd: cost, request_count: requests } = all;
  const expected = expectOfMonth(cost, range);
  return (
    <div className="stats">
      <Stat name="Cost" figure={<Cost usd={cost} tokens={all.total_tokens} />}>
        {before && was && !earlier.isPlaceholderData && (
          <span className="small dim">
            {compareUsd(cost, was.total_cost_usd)} the {before.days === 1 ? 'day' : `${before.days} days`} before
          </span>
        )}
        {expected !== null && (
          <span className="small dim" title="If it goes on as since the month began">
            <Money usd={expected} /> expected by the end of the month
          </span>
        )}
      </Stat>
      <Stat name="Requests" figure={formatShortCount(requests)}>
        <span className="small dim">
          <Cost usd={cost / requests} tokens={all.total_tokens} /> each
        </span>
      </Stat>
      <Stat name="Errors" figure={<Errors of={all} search={range} />}>
        <span className="small dim">{formatCount(all.failed_count)} failed</span>
      </Stat>
      <Stat name="p50 (half took less)" figure={formatEstimate(all.p50_ms)}>
        <Latencies of={all} />
      </Stat>
      <Stat name="Tokens" figure={formatShortCount(all.total_tokens)} />
    </div>
  );
}
