import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import type { StreamEvent } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { CsvButton } from '../../components/csv-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { NewPill } from '../../components/new-pill.tsx';
import { Pager } from '../../components/pager.tsx';
import { Reading } from '../../components/reading.tsx';
import { RowsTable } from '../../components/rows-table.tsx';
import { Screen } from '../../components/screen.tsx';
import { countOf } from '../../format/format-count.ts';
import { useNewCount } from '../../live/use-new-count.ts';
import { eventColumns } from './event-columns.tsx';
import { EventFilters } from './event-filters.tsx';
import type { EventsSearch } from './read-events-search.ts';

const route = getRouteApi('/events');
const pageSize = 50;

/** Recorded requests, newest first; what comes in the meantime waits behind a pill. */
export function EventsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { history } = useRouter();
  const { cursor, failed, ...rest } = search;
  const filter = { ...rest, ...(failed && { failed }) };
  const query = useQuery({
    ...apiQuery('/api/v1/events', { query: { ...filter, cursor, limit: pageSize, expand: 'agent,outcome' } }),
    // Rows never move by themselves; who comes back to the newest gets the newest.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: cursor === undefined ? 'always' : false,
  });
  const { model, compliance_tag: tag, pii_type: pii } = search;
  const matches = useCallback(
    (event: StreamEvent) =>
      (model === undefined || event.model === model) &&
      (tag === undefined || event.compliance_tag === tag) &&
      (pii === undefined || (event.pii_types ?? []).includes(pii)),
    [model, tag, pii],
  );
  // The stream tells neither results nor providers: no pill rather than one that counts others.
  const countable = search.outcome === undefined && !failed && search.provider === undefined && search.to === undefined;
  const count = useNewCount(
    { agent_id: search.agent_id, session_id: search.session_id },
    { matches, since: query.dataUpdatedAt, enabled: countable && cursor === undefined },
  );
  const change = (next: Partial<EventsSearch>) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...next }), replace: true });
  const isFiltered = Object.keys(rest).length > 0 || failed === true;
  return (
    <Screen
      title="Events"
      about="One for each request that went through the proxy"
      actions={
        <>
          <Button variant="default" loading={query.isFetching && !query.isPending} onClick={() => void query.refetch()}>
            Refresh
          </Button>
          <CsvButton
            path="/api/v1/events"
            query={{ ...filter, limit: 1_000, expand: 'agent,outcome' }}
            name="events"
            title="The latest 1,000 that match"
          />
        </>
      }
    >
      <EventFilters search={search} onChange={change} />
      <NewPill count={count} onShow={() => void query.refetch()} />
      <Reading query={query}>
        {({ data: events, next }) => (
          <Card flush>
            {events.length === 0 ? (
              <EmptyState
                title={isFiltered ? 'No event matches' : 'No event yet'}
                action={
                  isFiltered ? (
                    <Button variant="default" onClick={() => void navigate({ search: {} })}>
                      Show all events
                    </Button>
                  ) : (
                    <Button renderRoot={(props) => <Link to="/start" {...props} />}>Connect an agent</Button>
                  )
                }
              >
                {isFiltered
                  ? 'Refused requests are no events: look among the refusals.'
                  : 'Each request through the proxy is recorded here, usually within a second of its end.'}
              </EmptyState>
            ) : (
              <RowsTable
                label="Events"
                rows={events}
                rowKey={({ id }) => id}
                columns={eventColumns}
                stale={query.isPlaceholderData}
              />
            )}
            {(next !== null || cursor !== undefined) && (
              <Pager
                words={['Newer', 'Older']}
                onPrevious={cursor === undefined ? undefined : () => history.back()}
                onNext={
                  next === null ? undefined : () => void navigate({ search: (before) => ({ ...before, cursor: next }) })
                }
              >
                {countOf(events.length, 'event')}
                {cursor !== undefined && (
                  <>
                    {' · '}
                    <Link from="/events" search={({ cursor: _, ...before }) => before}>
                      to the newest
                    </Link>
                  </>
                )}
              </Pager>
            )}
          </Card>
        )}
      </Reading>
    </Screen>
  );
}
