import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { eventColumns } from '../events/event-columns.tsx';
import { refusalColumns } from '../refusals/refusals-screen.tsx';
import { findRequests } from './find-requests.ts';

const route = getRouteApi('/find');

/** From any id of a request to what became of it: an event, or a refusal with its reason. */
export function FindScreen() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
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
      actions={
        <SearchField
          label="Id"
          placeholder="X-Request-Id, evt_…"
          value={id}
          onChange={(next) => void navigate({ search: { id: next }, replace: true })}
        />
      }
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
                <Card title="Refused" flush>
                  <RowsTable
                    label="Refused requests"
                    rows={refusals}
                    rowKey={(row) => row.id}
                    columns={refusalColumns}
                  />
                </Card>
              )}
              {events.length > 0 && (
                <Card title="Recorded" flush>
                  <RowsTable label="Events" rows={events} rowKey={(row) => row.id} columns={eventColumns} />
                </Card>
              )}
            </>
          )}
        </Reading>
      )}
    </Screen>
  );
}
