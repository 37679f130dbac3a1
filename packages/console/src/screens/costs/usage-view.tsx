import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import { Card, Stat } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FaultBoundary } from '../../components/fault-boundary.tsx';
import { Choice } from '../../components/lists/choice.tsx';
import { CsvButton } from '../../components/lists/csv-button.tsx';
import { LinkedFilter } from '../../components/lists/linked-filter.tsx';
import { Reading } from '../../components/reading.tsx';
import { Money } from '../../components/values/money.tsx';
import { formatShortCount } from '../../format/format-count.ts';
import { findFirstDay } from './find-first-day.ts';
import { type CostGroup, type CostsSearch, costGroups } from './read-costs-search.ts';
import { readGroup, sumUsage, type UsageEntry, type UsageSum } from './sum-usage.ts';
import { groupNames, mostAgents, UsageSums } from './usage-sums.tsx';

const route = getRouteApi('/costs');
const DayBars = lazy(() => import('../../charts/day-bars.tsx').then((file) => ({ default: file.DayBars })));
const height = 260;

const groups = costGroups.map((value) => ({ value, label: groupNames[value] }));
/** Whole UTC days: sums are kept by day and by hour. */
const spans = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Since yesterday' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
] as const;

/** Cost by day and group, as a picture, a table and CSV. */
export function UsageView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { by = 'model', from = '7d', to, agent_id } = search;
  const change = (next: Partial<CostsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const range = { from: findFirstDay(from), to, agent_id };
  const filter = { group_by: `day,${by}`, ...range };
  return (
    <>
      <div className="filters">
        <Choice
          label="Time (UTC days)"
          options={spans}
          value={from as (typeof spans)[number]['value']}
          onChange={(next) => change({ from: next })}
        />
        <Choice label="By" options={groups} value={by} onChange={(next) => change({ by: next })} />
        <LinkedFilter name="agent" value={agent_id} onRemove={() => change({ agent_id: undefined })} />
        <CsvButton
          path="/api/v1/costs/usage"
          query={filter}
          name={`costs-by-day-and-${by}`}
          title="These figures, by day"
        />
      </div>
      {by === 'agent' ? <AgentsUsage range={range} /> : <GroupsUsage range={range} by={by} />}
    </>
  );
}

type Range = Pick<CostsSearch, 'from' | 'to' | 'agent_id'>;

/** Of what there are few: one read has each day of each. */
function GroupsUsage({ range, by }: { range: Range; by: CostGroup }) {
  const query = useQuery(apiQuery('/api/v1/costs/usage', { query: { ...range, group_by: `day,${by}` } }));
  return (
    <Reading query={query}>
      {({ data: { usage } }) => (
        <Usage days={usage} nameOf={(entry) => readGroup(entry, by).name} sums={sumUsage(usage, by)} by={by} />
      )}
    </Reading>
  );
}

/** Of agents there may be a hundred thousand: the days of all together, and the dearest. */
function AgentsUsage({ range }: { range: Range }) {
  const days = useQuery(apiQuery('/api/v1/costs/usage', { query: { ...range, group_by: 'day' } }));
  const dearest = useQuery(
    apiQuery('/api/v1/costs/usage', { query: { ...range, group_by: 'agent', top: mostAgents } }),
  );
  return (
    <Reading query={days}>
      {({ data: all }) => (
        <Reading query={dearest}>
          {({ data: { usage } }) => (
            <Usage days={all.usage} nameOf={() => 'All agents'} sums={sumUsage(usage, 'agent')} by="agent" />
          )}
        </Reading>
      )}
    </Reading>
  );
}

interface UsageProps {
  days: readonly UsageEntry[];
  /** The group of an entry, in words. */
  nameOf: (entry: UsageEntry) => string;
  sums: readonly UsageSum[];
  by: CostGroup;
}

function Usage({ days, nameOf, sums, by }: UsageProps) {
  const add = (read: (entry: UsageEntry) => number) => days.reduce((sum, entry) => sum + read(entry), 0);
  const [cost, requests] = [add((entry) => entry.total_cost_usd), add((entry) => entry.request_count)];
  if (days.length === 0)
    return (
      <Card>
        <EmptyState title="Nothing was used in this time">Choose a longer time, or connect an agent.</EmptyState>
      </Card>
    );
  const bars = days.map((entry) => ({ day: entry.day ?? '', group: nameOf(entry), cost: entry.total_cost_usd }));
  return (
    <>
      <div className="stats">
        <Stat name="Cost" figure={<Money usd={cost} />} />
        <Stat name="Requests" figure={formatShortCount(requests)}>
          <span className="small dim">
            <Money usd={requests === 0 ? 0 : cost / requests} /> each
          </span>
        </Stat>
        <Stat name="Tokens" figure={formatShortCount(add((entry) => entry.total_tokens))} />
      </div>
      <Card title="By day">
        <FaultBoundary>
          <Suspense fallback={<Skeleton height={height} />}>
            <DayBars entries={bars} height={height} />
          </Suspense>
        </FaultBoundary>
      </Card>
      <Card title={`By ${groupNames[by].toLowerCase()}`} flush>
        <UsageSums sums={sums} by={by} cost={cost} />
      </Card>
    </>
  );
}
