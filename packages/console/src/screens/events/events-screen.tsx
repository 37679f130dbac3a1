import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import type { StreamEvent } from '../../api/shapes.ts';
import { ConnectButton } from '../../components/connect-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { CsvButton } from '../../components/lists/csv-button.tsx';
import { ListCard } from '../../components/lists/list-card.tsx';
import { NewPill } from '../../components/lists/new-pill.tsx';
import { CursorPager } from '../../components/lists/pager.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { countOf } from '../../format/format-count.ts';
import { useNewCount } from '../../live/use-new-count.ts';
import { describeFilter } from '../../print/describe-filter.ts';
import { PrintButton } from '../../print/print-button.tsx';
import { PrintStamp } from '../../print/print-stamp.tsx';
import { eventColumns } from './event-columns.tsx';
import { EventFilters } from './event-filters.tsx';
import type { EventsSearch } from './read-events-search.ts';

const route = getRouteApi('/events');
const pageSize = 50;

/** Recorded requests, newest first; what comes in the meantime waits behind a pill. */
export function EventsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
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
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
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
          <PrintButton />
        </>
      }
    >
      <PrintStamp>
        {isFiltered && `; only events with ${describeFilter(filter)}`}
        {(cursor !== undefined || query.data?.next) && '; one page of several'}
      </PrintStamp>
      <EventFilters search={search} onChange={change} />
      <NewPill count={count} onShow={() => void query.refetch()} />
      <Reading query={query}>
        {({ data: events, next }) => (
          <ListCard
            label="Events"
            nouns={['event', 'events']}
            rows={events}
            rowKey={({ id }) => id}
            columns={eventColumns}
            stale={query.isPlaceholderData}
            onShowAll={isFiltered ? () => void navigate({ search: {} }) : undefined}
            hint="Refused requests are no events: look among the refusals."
            none={
              <EmptyState title="No event yet" action={<ConnectButton />}>
                Each request through the proxy is recorded here, usually within a second of its end.
              </EmptyState>
            }
          >
            <CursorPager cursor={cursor} next={next}>
              {countOf(events.length, 'event')}
              {cursor !== undefined && (
                <>
                  {' · '}
                  <Link from="/events" search={({ cursor: _, ...before }) => before}>
                    to the newest
                  </Link>
                </>
              )}
            </CursorPager>
          </ListCard>
        )}
      </Reading>
    </Screen>
  );
}
