import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api-query.ts';
import { ConnectButton } from '../../components/connect-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { CsvButton } from '../../components/lists/csv-button.tsx';
import { LinkedFilter } from '../../components/lists/linked-filter.tsx';
import { ListCard } from '../../components/lists/list-card.tsx';
import { CursorPager } from '../../components/lists/pager.tsx';
import { TimeRange } from '../../components/lists/time-range.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { countOf } from '../../format/format-count.ts';
import { timeSpans } from '../../search/time-spans.ts';
import type { SessionsSearch } from './read-sessions-search.ts';
import { sessionColumns } from './session-columns.tsx';

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
