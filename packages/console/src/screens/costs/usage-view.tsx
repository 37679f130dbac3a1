import { type CostUsageEntry, labelOf } from '@agp/core/contracts';
import { formatShare } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, usageQuery } from '../../api/api.ts';
import { DayBars } from '../../charts/lazy-charts.tsx';
import { useUnpriced } from '../../components/cost.tsx';
import { CsvButton, PrintButton } from '../../components/export.tsx';
import { EmptyState, Reading } from '../../components/feedback.tsx';
import { Choice } from '../../components/filters.tsx';
import { Card } from '../../components/layout.tsx';
import { figureColumn, Rows } from '../../components/list.tsx';
import { resultColumns } from '../../components/results.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { Chips, useFilters } from '../../components/use-filters.tsx';
import { AgentLink, Money } from '../../components/values.tsx';
import { formatShortCount } from '../../format/format.ts';
import {
  type CostGroup,
  type CostsSearch,
  costGroups,
  type EventsSearch,
  listGroups,
} from '../../search/screen-searches.ts';
import { findDay, isDay } from '../../search/search.ts';
import { filterNames, findFirstDay, keyOf, nameEntry, readGroup } from './usage-entries.ts';
import { UsageTotals } from './usage-totals.tsx';

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
/** Sums that are read; CSV has all. */
const mostSums = 1_000;

const groupNames = { model: 'Model', agent: 'Agent', provider: 'Provider', tag: 'Compliance tag' };
const nameGroup = (group: CostGroup): string =>
  labelOf(group)?.replace(/^./, (letter) => letter.toUpperCase()) ?? groupNames[group as keyof typeof groupNames];

type Range = Pick<CostsSearch, 'from' | 'to' | 'agent_id'>;

/** What tells the events of an entry; null if no filter does: of requests without a label, with two, or with a longer one than filters take. */
function toFilter(entry: CostUsageEntry, groups: readonly CostGroup[], range: Range): EventsSearch | null {
  const labels = groups.filter((each) => labelOf(each) !== null);
  const isFilter = (key: string) => key !== '' && key.length <= 128;
  if (labels.length > 1 || labels.some((each) => !isFilter(readGroup(entry, each).key))) return null;
  const filter = groups.map((each) => {
    const { key } = readGroup(entry, each);
    const label = labelOf(each);
    return label === null
      ? [filterNames[each as keyof typeof filterNames], key || undefined]
      : ['label', `${label}=${key}`];
  });
  return { ...range, ...Object.fromEntries(filter) };
}

/** An agent leads to its page, anything else to the events that were summed. */
function GroupName({ entry, group, groups, range }: { entry: CostUsageEntry; group: CostGroup } & Grouped) {
  const { key, name } = readGroup(entry, group);
  if (group === 'agent') return <AgentLink id={key} name={name} />;
  const filter = toFilter(entry, groups, range);
  if (filter === null) return <span className="dim">{name}</span>;
  return (
    <Link to="/events" search={filter}>
      {name}
    </Link>
  );
}

interface UsageSumsProps extends Grouped {
  sums: readonly CostUsageEntry[];
  /** All together, in USD. */
  cost: number;
}

function UsageSums({ sums, groups, range, cost }: UsageSumsProps) {
  const unpriced = useUnpriced(range, groups, (entry) => keyOf(entry, groups));
  return (
    <Rows
      label="Costs"
      rows={sums}
      rowKey={(entry) => keyOf(entry, groups)}
      columns={[
        ...groups.map((group) => ({
          head: nameGroup(group),
          by: (entry: CostUsageEntry) => readGroup(entry, group).name,
          cell: (entry: CostUsageEntry) => <GroupName entry={entry} group={group} groups={groups} range={range} />,
        })),
        ...resultColumns(
          (entry) => toFilter(entry, groups, range),
          (entry) => unpriced.get(keyOf(entry, groups)),
        ),
        ...(sums.every(({ expected_cost_usd: usd }) => usd === undefined)
          ? []
          : [
              {
                head: 'By month’s end',
                right: true,
                by: (row: CostUsageEntry) => row.total_cost_usd,
                cell: (row: CostUsageEntry) => <Money usd={row.expected_cost_usd ?? 0} />,
              },
            ]),
        { head: 'Share', right: true, cell: (row) => (cost === 0 ? '–' : formatShare(row.total_cost_usd / cost)) },
        figureColumn('Tokens in', (row: CostUsageEntry) => row.total_prompt_tokens, formatShortCount, true),
        figureColumn('Tokens out', (row: CostUsageEntry) => row.total_completion_tokens, formatShortCount, true),
      ]}
      atOnce={rowsAtOnce}
      note={sums.length === mostSums && ' or more, the dearest'}
    />
  );
}

const route = getRouteApi('/costs');
const height = 260;

/** Whole UTC days: sums are kept by day and by hour. */
const spans = {
  ...{ today: 'Today', yesterday: 'Since yesterday' },
  ...{ '7d': 'Last 7 days', '30d': 'Last 30 days', '90d': 'Last 90 days' },
};

/** Cost by day and one or two groups, as a picture, a table and CSV. */
export function UsageView() {
  const search = route.useSearch();
  const { agent_id, from = search.to === undefined ? '7d' : undefined } = search;
  const groups = listGroups(search.by);
  const [first, second] = groups;
  const label = groups.map(labelOf).find((each) => each !== null);
  const { change } = useFilters(search);
  const known = useQuery({ ...apiQuery('/api/v1/agents/labels', {}), staleTime: 60_000 }).data?.data ?? [];
  const names = known.map((each) => each.name).filter((name) => name !== 'compliance_tag');
  const offered = new Set<CostGroup>([...costGroups, ...names.map((name) => `label:${name}` as const), ...groups]);
  const options = Object.fromEntries(
    [...offered].map((each) => [each, labelOf(each) === null ? nameGroup(each) : `Label ${labelOf(each)}`]),
  ) as Record<CostGroup, string>;
  const { [first as CostGroup]: _, ...others } = options;
  const group = (...by: (CostGroup | undefined)[]) =>
    change({ by: [...new Set(by)].filter((name) => name !== undefined).join(',') });
  const firstDay = from && findFirstDay(from);
  const to = search.to && findDay(search.to);
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
          to={search.to}
          firstDay={firstDay && isDay(firstDay) ? firstDay : undefined}
          onChange={change}
        />
        <Choice label="By" options={options} value={first} onChange={(next) => group(next, second)} />
        <Choice
          label="and by"
          none="nothing else"
          options={others as typeof options}
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
        <PrintButton />
      </div>
      <p className="only-print">
        {`By ${groups.map(nameGroup).join(' and ')}, UTC days from ${firstDay ?? 'the first'}${to ? ` until before ${to}` : ''}`}
      </p>
      {groups.includes('tag') && <TagHint />}
      {label && (
        <p className="dim small" style={{ margin: 0 }}>
          A call has the labels that its agent had when it was made: those before a {label} was set are “no {label}”.
        </p>
      )}
      {/* Anew for other groups: sums of before have other names. */}
      <Usage key={groups.join()} range={range} groups={groups} />
    </>
  );
}

interface Grouped {
  range: Range;
  groups: readonly CostGroup[];
}

function Usage({ range, groups }: Grouped) {
  const total = useQuery(usageQuery(range, []));
  const sums = useQuery(usageQuery(range, groups, mostSums));
  // There may be a hundred thousand agents: then the days are those of all together.
  const barGroups = groups.includes('agent') ? [] : groups;
  const days = useQuery(usageQuery(range, ['day', ...barGroups]));
  const nameOf = (entry: CostUsageEntry) => nameEntry(entry, barGroups) || 'All agents';
  return (
    <Reading query={total} shape={{ figures: 5, chart: height }}>
      {({
        data: {
          usage: [all],
        },
      }) =>
        all === undefined || all.request_count === 0 ? (
          <Card>
            <EmptyState title="Nothing was used in this time">Choose a longer time, or connect an agent.</EmptyState>
          </Card>
        ) : (
          <>
            <UsageTotals all={all} range={range} />
            <Card title="By day">
              <Reading query={days} shape={{ chart: height, rows: 0 }}>
                {({ data: { usage } }) => (
                  <DayBars
                    entries={usage.map((entry) => ({
                      ...{ day: entry.day ?? '', group: nameOf(entry), cost: entry.total_cost_usd },
                    }))}
                    height={height}
                  />
                )}
              </Reading>
            </Card>
            <Card title={`By ${groups.map((group) => nameGroup(group).toLowerCase()).join(' and ')}`} flush>
              <Reading query={sums}>
                {({ data: { usage } }) => (
                  <UsageSums sums={usage} groups={groups} range={range} cost={all.total_cost_usd} />
                )}
              </Reading>
            </Card>
          </>
        )
      }
    </Reading>
  );
}
