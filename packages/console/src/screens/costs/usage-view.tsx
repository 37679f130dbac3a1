import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import { Card, Stat } from '../../components/card.tsx';
import { Choice } from '../../components/choice.tsx';
import { CsvButton } from '../../components/csv-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FaultBoundary } from '../../components/fault-boundary.tsx';
import { Money } from '../../components/money.tsx';
import { Reading } from '../../components/reading.tsx';
import { AgentLink } from '../../components/references.tsx';
import { RowsTable } from '../../components/rows-table.tsx';
import { formatCount, formatShare, formatShortCount } from '../../format/format-count.ts';
import { shortenId } from '../../format/shorten-id.ts';
import { findFirstDay } from './find-first-day.ts';
import type { CostGroup, CostsSearch } from './read-costs-search.ts';
import { readGroup, sumUsage, type UsageEntry, type UsageSum } from './sum-usage.ts';

const route = getRouteApi('/costs');
const DayBars = lazy(() => import('../../charts/day-bars.tsx').then((file) => ({ default: file.DayBars })));
const height = 260;
/** Rows that are drawn at once. */
const rowsAtOnce = 100;

const groups = [
  { value: 'model', label: 'Model' },
  { value: 'agent', label: 'Agent' },
  { value: 'provider', label: 'Provider' },
  { value: 'tag', label: 'Compliance tag' },
] as const;
/** Whole UTC days: sums are kept by day and by hour. */
const spans = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Since yesterday' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
] as const;

/** Cost by day and group, as a picture, a table and CSV: one read. */
export function UsageView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { by = 'model', from = '7d', to, agent_id } = search;
  const change = (next: Partial<CostsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const filter = { group_by: `day,${by}`, from: findFirstDay(from), to, agent_id };
  const query = useQuery(apiQuery('/api/v1/costs/usage', { query: filter }));
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
        {agent_id !== undefined && (
          <Button variant="default" onClick={() => change({ agent_id: undefined })}>
            agent: {shortenId(agent_id)} ×
          </Button>
        )}
        <CsvButton
          path="/api/v1/costs/usage"
          query={filter}
          name={`costs-by-day-and-${by}`}
          title="These figures, by day"
        />
      </div>
      <Reading query={query}>{({ data }) => <Usage entries={data.usage} by={by} />}</Reading>
    </>
  );
}

function Usage({ entries, by }: { entries: readonly UsageEntry[]; by: CostGroup }) {
  const sums = sumUsage(entries, by);
  const cost = sums.reduce((sum, each) => sum + each.cost, 0);
  const requests = sums.reduce((sum, each) => sum + each.requests, 0);
  const tokens = sums.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0);
  if (sums.length === 0)
    return (
      <Card>
        <EmptyState title="Nothing was used in this time">Choose a longer time, or connect an agent.</EmptyState>
      </Card>
    );
  const bars = entries.map((entry) => ({
    day: entry.day ?? '',
    group: readGroup(entry, by).name,
    cost: entry.total_cost_usd,
  }));
  return (
    <>
      <div className="stats">
        <Stat name="Cost" figure={<Money usd={cost} />} />
        <Stat name="Requests" figure={formatShortCount(requests)}>
          <span className="small dim">
            <Money usd={requests === 0 ? 0 : cost / requests} /> each
          </span>
        </Stat>
        <Stat name="Tokens" figure={formatShortCount(tokens)} />
      </div>
      <Card title="By day">
        <FaultBoundary>
          <Suspense fallback={<Skeleton height={height} />}>
            <DayBars entries={bars} height={height} />
          </Suspense>
        </FaultBoundary>
      </Card>
      <Card title={`By ${groups.find(({ value }) => value === by)?.label.toLowerCase()}`} flush>
        <Sums sums={sums} by={by} cost={cost} />
      </Card>
    </>
  );
}

function GroupName({ sum, by }: { sum: UsageSum; by: CostGroup }) {
  if (by === 'agent') return <AgentLink id={sum.key} name={sum.name} />;
  const search = { model: { model: sum.key }, provider: { provider: sum.key }, tag: { compliance_tag: sum.key } }[by];
  return (
    <Link to="/events" search={search}>
      {sum.name}
    </Link>
  );
}

function Sums({ sums, by, cost }: { sums: readonly UsageSum[]; by: CostGroup; cost: number }) {
  const [shown, setShown] = useState(rowsAtOnce);
  return (
    <>
      <RowsTable
        label="Costs"
        rows={sums.slice(0, shown)}
        rowKey={({ key }) => key}
        columns={[
          {
            head: groups.find(({ value }) => value === by)?.label ?? by,
            cell: (sum) => <GroupName sum={sum} by={by} />,
          },
          { head: 'Cost', right: true, cell: (sum) => <Money usd={sum.cost} /> },
          { head: 'Share', right: true, cell: (sum) => (cost === 0 ? '–' : formatShare(sum.cost / cost)) },
          { head: 'Requests', right: true, cell: ({ requests }) => formatCount(requests) },
          { head: 'Tokens in', right: true, cell: ({ promptTokens }) => formatShortCount(promptTokens) },
          { head: 'Tokens out', right: true, cell: ({ completionTokens }) => formatShortCount(completionTokens) },
        ]}
      />
      {sums.length > shown && (
        <div className="pager">
          <span className="dim">
            {formatCount(shown)} of {formatCount(sums.length)}, the dearest first
          </span>
          <Button size="xs" variant="default" onClick={() => setShown(shown + rowsAtOnce)}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
