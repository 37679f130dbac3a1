import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api-query.ts';
import type { Session } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { Choice } from '../../components/choice.tsx';
import { CsvButton } from '../../components/csv-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/money.tsx';
import { Pager } from '../../components/pager.tsx';
import { Pill } from '../../components/pill.tsx';
import { Reading } from '../../components/reading.tsx';
import { AgentLink, SessionLink } from '../../components/references.tsx';
import { type Column, RowsTable } from '../../components/rows-table.tsx';
import { Screen } from '../../components/screen.tsx';
import { TimeAgo, TimeStamp } from '../../components/time-stamp.tsx';
import { countOf, formatCount, formatShortCount } from '../../format/format-count.ts';
import { formatDuration } from '../../format/format-time.ts';
import { shortenId } from '../../format/shorten-id.ts';
import { timeSpans } from '../../search/time-spans.ts';
import type { SessionsSearch } from './read-sessions-search.ts';

const route = getRouteApi('/sessions');
const pageSize = 50;

const columns: readonly Column<Session>[] = [
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
    cell: ({ pii_detected }) =>
      pii_detected ? <Pill tone="warn">found</Pill> : <span className="dim">none found</span>,
  },
];

/** Conversations of agents, those that began last first. */
export function SessionsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { history } = useRouter();
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
          <Choice
            label="Began"
            none="At any time"
            options={timeSpans}
            value={search.from}
            onChange={(from) => change({ from })}
          />
          {search.agent_id !== undefined && (
            <Button variant="default" onClick={() => change({ agent_id: undefined })}>
              agent: {shortenId(search.agent_id)} ×
            </Button>
          )}
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
          <Card flush>
            {sessions.length === 0 ? (
              <EmptyState
                title={isFiltered ? 'No session matches' : 'No session yet'}
                action={
                  isFiltered ? (
                    <Button variant="default" onClick={() => void navigate({ search: {} })}>
                      Show all sessions
                    </Button>
                  ) : (
                    <Button renderRoot={(props) => <Link to="/start" {...props} />}>Connect an agent</Button>
                  )
                }
              >
                {isFiltered
                  ? 'Try a longer time.'
                  : 'A session begins with an agent’s first request. With the header X-Session-Id an agent says which requests belong together.'}
              </EmptyState>
            ) : (
              <RowsTable
                label="Sessions"
                rows={sessions}
                rowKey={({ id }) => id}
                columns={columns}
                stale={query.isPlaceholderData}
              />
            )}
            {(next !== null || !isFirst) && (
              <Pager
                words={['Newer', 'Older']}
                onPrevious={isFirst ? undefined : () => history.back()}
                onNext={
                  next === null ? undefined : () => void navigate({ search: (before) => ({ ...before, cursor: next }) })
                }
              >
                {countOf(sessions.length, 'session')}
              </Pager>
            )}
          </Card>
        )}
      </Reading>
    </Screen>
  );
}
