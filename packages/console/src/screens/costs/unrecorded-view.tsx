import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/api-query.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { Reading } from '../../components/reading.tsx';
import { Money } from '../../components/values/money.tsx';
import { AgentLink } from '../../components/values/references.tsx';
import { ShortId } from '../../components/values/short-id.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';

const reasons = {
  ended_without_record: 'its proxy was killed before the event was safe',
  lost: 'more events waited than a proxy holds',
  set_aside: 'the event cannot be recorded as it is: see npm run quarantine',
  unknown: 'noted by an older version',
};
const most = 100;

/** Requests that were forwarded and have no event. */
export function UnrecordedView() {
  const query = useQuery(apiQuery('/api/v1/costs/unrecorded', { query: { limit: most } }));
  return (
    <Reading query={query}>
      {({ data: requests }) => (
        <Card flush>
          {requests.length === 0 ? (
            <EmptyState title="Every forwarded request is recorded">
              A request whose proxy was killed before its event was safe would be listed here, with what it counts in
              the budgets.
            </EmptyState>
          ) : (
            <>
              <p className="card-body" style={{ margin: 0, paddingTop: '1rem' }}>
                They are in no sum of costs, and count in the budget of their day. An entry goes when its event is
                recorded after all.
              </p>
              <RowsTable
                label="Requests without an event"
                rows={requests}
                rowKey={({ event_id }) => event_id}
                columns={[
                  { head: 'Time', cell: ({ started_at }) => <TimeStamp at={started_at} /> },
                  { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
                  { head: 'Model', cell: ({ model, provider }) => `${model ?? 'not known'} (${provider ?? '–'})` },
                  { head: 'Why', cell: ({ reason }) => reasons[reason] },
                  { head: 'Counts as', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
                  { head: 'Event id', cell: ({ event_id }) => <ShortId id={event_id} what="event id" /> },
                ]}
              />
            </>
          )}
        </Card>
      )}
    </Reading>
  );
}
