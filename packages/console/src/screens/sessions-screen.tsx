import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../api/api.ts';
import type { Session } from '../api/shapes.ts';
import { EmptyState, Reading } from '../components/feedback.tsx';
import { LinkedFilter, TimeRange } from '../components/filters.tsx';
import { ConnectButton, Screen } from '../components/layout.tsx';
import { type Column, CsvButton, CursorPager, ListCard } from '../components/list.tsx';
import { AgentLink, Money, Pill, SessionLink, TimeAgo, TimeStamp } from '../components/values.tsx';
import { countOf, formatCount, formatDuration, formatShortCount } from '../format/format.ts';
import type { SessionsSearch } from '../search/screen-searches.ts';
import { timeSpans } from '../search/search.ts';

const sessionColumns: readonly Column<Session>[] = [
  { head: 'Session', cell: ({ id }) => <SessionLink id={id} /> },
  { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
  { head: 'Began', cell: ({ started_at }) => <TimeStamp at={started_at} /> },
  { head: 'Last turn', cell: ({ ended_at }) => <TimeAgo at={ended_at} /> },
  { head: 'Lasted', right: true, cell: ({ duration_ms }) => formatDuration(duration_ms) },
  { head: 'Turns', right: true, cell: ({ event_count }) => formatCount(event_count) },
  { head: 'Tokens', right: true, cell: ({ total_tokens }) => formatShortCount(total_tokens) },
  { head: 'Cost', right: true, cell: ({ total_cost_usd }) => <Money usd={total_cost_usd} /> },
  { head: 'Tag', cell: ({ compliance_tag }) => compliance_tag },
  {
    head: 'Personal data',
    cell: ({ pii_detected }) => (pii_detected ? <Pill tone="warn">found</Pill> : <span className="dim">none</span>),
  },
];

const route = getRouteApi('/sessions');
const pageSize = 50;

/** Conversations of agents, those that began last first. */
export function SessionsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isFirst = search.cursor === undefined;
  const query = useQuery({
    ...apiQuery('/api/v1/sessions', { query: { ...search, limit: pageSize } }),
    ...(isFirst && { refetchInterval: 2 * refreshMs }),
  });
  const change = (next: Partial<SessionsSearch>) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...next }), replace: true });
  const isFiltered = search.agent_id !== undefined || search.from !== undefined || search.to !== undefined;
  return (
    <Screen
      title="Sessions"
      about="The requests that belong together: one conversation, one run. Each is a chain of hashes."
      actions={
        <>
          <TimeRange
            label="Began"
            none="At any time"
            spans={timeSpans}
            from={search.from}
            to={search.to}
            onChange={change}
          />
          <LinkedFilter name="agent" value={search.agent_id} onRemove={() => change({ agent_id: undefined })} />
          <CsvButton
            path="/api/v1/sessions"
            query={{ agent_id: search.agent_id, from: search.from, to: search.to, limit: 1_000 }}
            name="sessions"
            title="The latest 1,000 that match"
          />
        </>
      }
    >
      <Reading query={query}>
        {({ data: sessions, next }) => (
          <ListCard
            label="Sessions"
            nouns={['session', 'sessions']}
            rows={sessions}
            rowKey={({ id }) => id}
            columns={sessionColumns}
            stale={query.isPlaceholderData}
            onShowAll={isFiltered ? () => void navigate({ search: {} }) : undefined}
            hint="Try a longer time."
            none={
              <EmptyState title="No session yet" action={<ConnectButton />}>
                A session begins with an agent’s first request. With the header X-Session-Id an agent says which
                requests belong together.
              </EmptyState>
            }
          >
            <CursorPager cursor={search.cursor} next={next}>
              {countOf(sessions.length, 'session')}
            </CursorPager>
          </ListCard>
        )}
      </Reading>
    </Screen>
  );
}
