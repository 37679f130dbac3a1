import type { ListedEvent, Refusal } from '@agp/core/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { callApi } from '../api/api.ts';
import { EmptyState, Reading } from '../components/feedback.tsx';
import { SearchField } from '../components/filters.tsx';
import { Card, Screen } from '../components/layout.tsx';
import { List } from '../components/list.tsx';
import { useFilters } from '../components/use-filters.tsx';
import { eventColumns } from './events-screen.tsx';
import { groupRefusals, refusalColumns } from './refusals-screen.tsx';

/** Rows that are shown for one id: callers may give many requests the same. */
const most = 20;

/** What the API takes as a request id. */
const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

async function findRequests(id: string, signal: AbortSignal): Promise<{ events: ListedEvent[]; refusals: Refusal[] }> {
  const find = async (name: 'request_id' | 'provider_request_id') => {
    const query = { [name]: id, limit: most, expand: 'agent,outcome' as const };
    return (await callApi('get', '/api/v1/events', { params: { query }, signal })).data;
  };
  const isRequestId = requestIdPattern.test(id);
  const [own, ofProvider, refusals] = await Promise.all([
    isRequestId ? find('request_id') : [],
    find('provider_request_id'),
    isRequestId
      ? callApi('get', '/api/v1/refusals', { params: { query: { request_id: id, limit: most } }, signal }).then(
          ({ data }) => data,
        )
      : [],
  ]);
  const known = new Map([...own, ...ofProvider].map((event) => [event.id, event]));
  return { events: [...known.values()], refusals };
}

const route = getRouteApi('/find');

/** From any id of a request to what became of it: an event, or a refusal with its reason. */
export function FindScreen() {
  const search = route.useSearch();
  const { id } = search;
  const { bind } = useFilters(search);
  const query = useQuery({
    queryKey: ['find', id],
    queryFn: ({ signal }) => findRequests(id ?? '', signal),
    enabled: id !== undefined,
  });
  if (id?.startsWith('evt_')) return <Navigate to="/events/$eventId" params={{ eventId: id }} replace />;
  if (id?.startsWith('ses_')) return <Navigate to="/sessions/$sessionId" params={{ sessionId: id }} replace />;
  if (id?.startsWith('agt_')) return <Navigate to="/agents/$agentId" params={{ agentId: id }} replace />;
  return (
    <Screen
      title="What became of a request"
      about="By its request id, the provider’s request id, or the id of an event, a session or an agent"
      actions={<SearchField label="Id" placeholder="X-Request-Id, evt_…" {...bind('id')} />}
    >
      {id !== undefined && (
        <Reading query={query}>
          {({ events, refusals }) => (
            <>
              {events.length + refusals.length === 0 && (
                <Card>
                  <EmptyState title="No request has this id">
                    It may not be recorded yet, or it never reached the proxy. Refused requests of more than some days
                    ago are only counted, in the audit log.
                  </EmptyState>
                </Card>
              )}
              {refusals.length > 0 && (
                <List
                  title="Refused"
                  label="Refused requests"
                  rows={groupRefusals(refusals)}
                  rowKey={({ latest }) => latest.id}
                  columns={refusalColumns}
                />
              )}
              {events.length > 0 && (
                <List title="Recorded" label="Events" rows={events} rowKey={(row) => row.id} columns={eventColumns} />
              )}
            </>
          )}
        </Reading>
      )}
    </Screen>
  );
}
