import type { Session } from '@agp/core/contracts';
import { formatCount, formatDuration, tellFailures } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../api/api.ts';
import { Cost } from '../components/cost.tsx';
import { CopyAs, CsvButton } from '../components/export.tsx';
import { EmptyState } from '../components/feedback.tsx';
import { Choice, SearchField } from '../components/filters.tsx';
import { AgentField, LabelField } from '../components/known-fields.tsx';
import { LabelledAgent } from '../components/labels.tsx';
import { ConnectButton } from '../components/layout.tsx';
import type { Column } from '../components/list.tsx';
import { ListScreen } from '../components/list-screen.tsx';
import { pageSize } from '../components/pager.tsx';
import { TimeRange } from '../components/time-range.tsx';
import { useFilters } from '../components/use-filters.tsx';
import { Name, Pill, SessionLink, TimeAgo, TimeStamp } from '../components/values.tsx';
import { formatShortCount } from '../format/format.ts';
import { timeSpans } from '../search/search.ts';
import { SessionPeek } from './session-screen.tsx';

const sessionColumns: readonly Column<Session>[] = [
  { head: 'Session', cell: ({ id, name = null }) => <SessionLink id={id} name={name} /> },
  { head: 'Agent', cell: ({ labels = [], ...row }) => <LabelledAgent of={{ ...row, labels }} /> },
  { head: 'Began', cell: ({ started_at }) => <TimeStamp at={started_at} /> },
  { head: 'Last turn', wide: true, cell: ({ ended_at }) => <TimeAgo at={ended_at} /> },
  {
    head: 'Lasted',
    right: true,
    wide: true,
    cell: ({ duration_ms, event_count }) =>
      event_count > 1 ? formatDuration(duration_ms) : <span className="dim">–</span>,
  },
  { head: 'Turns', right: true, cell: ({ event_count }) => formatCount(event_count) },
  {
    head: 'Failed',
    right: true,
    cell: (row) =>
      row.failed_count ? (
        <Link to="/events" search={{ session_id: row.id, failed: true }} className="tone-bad">
          {tellFailures(row)}
        </Link>
      ) : (
        <span className="dim none">{tellFailures(row)}</span>
      ),
  },
  { head: 'Tokens', right: true, wide: true, cell: ({ total_tokens }) => formatShortCount(total_tokens) },
  { head: 'Cost', right: true, lead: true, cell: (row) => <Cost usd={row.total_cost_usd} tokens={row.total_tokens} /> },
  { head: 'Tag', wide: true, cell: ({ compliance_tag }) => <Name>{compliance_tag}</Name> },
  {
    head: 'Personal data',
    cell: ({ pii_detected }) =>
      pii_detected ? <Pill tone="warn">found</Pill> : <span className="dim none">none</span>,
  },
];

/** The name that callers gave and labels, and how many events failed. */
const expand = 'names,failures';

const route = getRouteApi('/sessions');

export function SessionsScreen() {
  const { filter, change, bind, ...at } = useFilters(route.useSearch());
  const query = useQuery({
    ...apiQuery('/api/v1/sessions', {
      query: { ...filter, expand, cursor: at.cursor, limit: pageSize, total: 'true' },
    }),
    ...(at.isFirst && { refetchInterval: 2 * refreshMs }),
  });
  return (
    <ListScreen
      title="Sessions"
      about="The requests that belong together: one conversation, one run. Each is a chain of hashes."
      actions={
        <>
          <CopyAs path="/api/v1/sessions" query={filter} command="sessions list" />
          <CsvButton
            path="/api/v1/sessions"
            query={{ ...filter, expand, limit: 1_000 }}
            name="sessions"
            title="The latest 1,000 that match"
          />
        </>
      }
      filters={
        <>
          <TimeRange
            label="Began"
            none="At any time"
            spans={timeSpans}
            from={filter.from}
            to={filter.to}
            onChange={change}
          />
          <AgentField {...bind('agent_id')} />
          <SearchField label="Name" placeholder="As X-Session-Id had it" {...bind('name')} />
          <LabelField {...bind('label')} />
          <Choice
            label="Failures"
            none="With or without"
            options={{ true: 'With failures' }}
            value={filter.failed ? 'true' : undefined}
            onChange={(value) => change({ failed: value === undefined ? undefined : true })}
          />
        </>
      }
      label="Sessions"
      nouns={['session', 'sessions']}
      query={query}
      at={at}
      rowKey={({ id }) => id}
      columns={sessionColumns}
      peek={({ id }) => <SessionPeek id={id} />}
      hint="Try a longer time."
      none={
        <EmptyState title="No session yet" action={<ConnectButton />}>
          A session begins with an agent’s first request. With the header X-Session-Id an agent says which requests
          belong together.
        </EmptyState>
      }
    />
  );
}
