import { sumUsd } from '@agp/core/money';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { apiQuery } from '../../api/api.ts';
import { EmptyState, FaultBoundary, Reading } from '../../components/feedback.tsx';
import { Chips, Choice, TimeRange } from '../../components/filters.tsx';
import { Card, Stat } from '../../components/layout.tsx';
import { CsvButton, GrowingTable } from '../../components/list.tsx';
import { AgentLink, Money } from '../../components/values.tsx';
import { formatCount, formatShare, formatShortCount } from '../../format/format.ts';
import { type CostGroup, type CostsSearch, costGroups, listGroups } from '../../search/screen-searches.ts';
import { isDay } from '../../search/search.ts';
import {
  findFirstDay,
  type GroupValue,
  keyOf,
  nameEntry,
  sumUsage,
  type UsageEntry,
  type UsageSum,
} from './sum-usage.ts';

/** What a compliance tag is: only callers and agents set it. */
function TagHint() {
  return (
    <p className="dim small" style={{ margin: 0 }}>
      A compliance tag says what a call is for, such as a team or a project. Teams send it as the header{' '}
      <span className="mono">X-Compliance-Tag</span>; <span className="mono">compliance_tag</span> in an agent’s
      metadata wins; calls with neither have <span className="mono">default</span>. <a href="/docs">API reference</a>
    </p>
  );
}

const rowsAtOnce = 100;
/** Sums of agents that are read; CSV has all. */
const mostAgents = 1_000;

const groupNames: Record<CostGroup, string> = {
  model: 'Model',
  agent: 'Agent',
  provider: 'Provider',
  tag: 'Compliance tag',
};

type Range = Pick<CostsSearch, 'from' | 'to' | 'agent_id'>;

/** Names of filters of events. */
const filterNames = { agent: 'agent_id', model: 'model', provider: 'provider', tag: 'compliance_tag' } as const;

/** An agent leads to its page, anything else to the events that were summed. */
function GroupName({ value, sum, range }: { value: GroupValue | undefined; sum: UsageSum; range: Range }) {
  if (value === undefined) return null;
  if (value.group === 'agent') return <AgentLink id={value.key} name={value.name} />;
  const filter = sum.values.map(({ group, key }) => [filterNames[group], key || undefined]);
  return (
    <Link to="/events" search={{ ...range, ...Object.fromEntries(filter) }}>
      {value.name}
    </Link>
  );
}

interface UsageSumsProps {
  sums: readonly UsageSum[];
  groups: readonly CostGroup[];
  range: Range;
  /** Of all together, in USD. */
  cost: number;
}

function UsageSums({ sums, groups, range, cost }: UsageSumsProps) {
  return (
    <GrowingTable
      label="Costs"
      rows={sums}
      rowKey={keyOf}
      columns={[
        ...groups.map((group, at) => ({
          head: groupNames[group],
          cell: (sum: UsageSum) => <GroupName value={sum.values[at]} sum={sum} range={range} />,
        })),
        { head: 'Cost', right: true, cell: (sum) => <Money usd={sum.cost} /> },
        { head: 'Share', right: true, cell: (sum) => (cost === 0 ? '–' : formatShare(sum.cost / cost)) },
        { head: 'Requests', right: true, cell: ({ requests }) => formatCount(requests) },
        { head: 'Tokens in', right: true, cell: ({ promptTokens }) => formatShortCount(promptTokens) },
        { head: 'Tokens out', right: true, cell: ({ completionTokens }) => formatShortCount(completionTokens) },
      ]}
      atOnce={rowsAtOnce}
      note={`${groups.includes('agent') && sums.length === mostAgents ? ' or more' : ''}, the dearest first`}
    />
  );
}

const route = getRouteApi('/costs');
const DayBars = lazy(() => import('../../charts/chart.tsx').then((file) => ({ default: file.DayBars })));
const height = 260;

const options = costGroups.map((value) => ({ value, label: groupNames[value] }));
/** Whole UTC days: sums are kept by day and by hour. */
const spans = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Since yesterday' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
] as const;

/** Cost by day and one or two groups, as a picture, a table and CSV. */
export function UsageView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { to, agent_id, from = to === undefined ? '7d' : undefined } = search;
  const groups = listGroups(search.by);
  const [first, second] = groups;
  const change = (next: Partial<CostsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const group = (...by: (CostGroup | undefined)[]) =>
    change({ by: [...new Set(by)].filter((name) => name !== undefined).join(',') });
  const firstDay = from && findFirstDay(from);
  const range = { from: firstDay, to, agent_id };
  // Two files of the same groups are told apart by their days.
  const days = [firstDay && `-from-${firstDay}`, to && `-before-${to}`].filter(Boolean).join('');
  const file = `costs-by-${groups.join('-and-')}${days}`;
  return (
    <>
      <div className="filters">
        <TimeRange
          label="Time (UTC days)"
          spans={spans}
          from={from}
          to={to}
          firstDay={firstDay && isDay(firstDay) ? firstDay : undefined}
          onChange={change}
        />
        <Choice label="By" options={options} value={first} onChange={(next) => group(next, second)} />
        <Choice
          label="and by"
          none="nothing else"
          options={options.filter(({ value }) => value !== first)}
          value={second}
          onChange={(next) => group(first, next)}
        />
        <Chips filter={{ agent_id }} onChange={change} />
        <CsvButton
          path="/api/v1/costs/usage"
          query={{ group_by: groups.join(','), ...range }}
          name={file}
          title="The table below"
        />
        <CsvButton
          path="/api/v1/costs/usage"
          query={{ group_by: `day,${groups.join(',')}`, ...range }}
          name={`${file}-and-day`}
          label="CSV by day"
          title="The table below, by day"
        />
      </div>
      {groups.includes('tag') && <TagHint />}
      {groups.includes('agent') ? (
        <AgentsUsage range={range} groups={groups} />
      ) : (
        <GroupsUsage range={range} groups={groups} />
      )}
    </>
  );
}

interface Grouped {
  range: Range;
  groups: readonly CostGroup[];
}

function GroupsUsage({ range, groups }: Grouped) {
  const query = useQuery(apiQuery('/api/v1/costs/usage', { query: { ...range, group_by: `day,${groups.join(',')}` } }));
  return (
    <Reading query={query}>
      {({ data: { usage } }) => (
        <Usage
          days={usage}
          nameOf={(entry) => nameEntry(entry, groups)}
          sums={sumUsage(usage, groups)}
          groups={groups}
          range={range}
        />
      )}
    </Reading>
  );
}

/** Of agents there may be a hundred thousand: the days of all together, and the dearest. */
function AgentsUsage({ range, groups }: Grouped) {
  const days = useQuery(apiQuery('/api/v1/costs/usage', { query: { ...range, group_by: 'day' } }));
  const dearest = useQuery(
    apiQuery('/api/v1/costs/usage', { query: { ...range, group_by: groups.join(','), top: mostAgents } }),
  );
  return (
    <Reading query={days}>
      {({ data: all }) => (
        <Reading query={dearest}>
          {({ data: { usage } }) => (
            <Usage
              days={all.usage}
              nameOf={() => 'All agents'}
              sums={sumUsage(usage, groups)}
              groups={groups}
              range={range}
            />
          )}
        </Reading>
      )}
    </Reading>
  );
}

interface UsageProps extends Grouped {
  days: readonly UsageEntry[];
  /** The group of an entry, in words. */
  nameOf: (entry: UsageEntry) => string;
  sums: readonly UsageSum[];
}

function Usage({ days, nameOf, sums, groups, range }: UsageProps) {
  const add = (read: (entry: UsageEntry) => number) => days.reduce((sum, entry) => sum + read(entry), 0);
  const cost = sumUsd(days.map((entry) => entry.total_cost_usd));
  const requests = add((entry) => entry.request_count);
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
      <Card title={`By ${groups.map((group) => groupNames[group].toLowerCase()).join(' and ')}`} flush>
        <UsageSums sums={sums} groups={groups} range={range} cost={cost} />
      </Card>
    </>
  );
}
