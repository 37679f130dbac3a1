import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery } from '../../api/api-query.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { Reading } from '../../components/reading.tsx';
import { Money } from '../../components/values/money.tsx';
import { AgentLink } from '../../components/values/references.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';

const reasons = {
  claim_too_large: 'the answer claims more than its request allows: the most that it allows is recorded',
  unreadable: 'the answer, or the end of it, has no figures that could be read',
  out_of_range: 'a figure that no call can have',
};
const most = 100;

/** Calls whose figures were bounded or could not be read. */
export function DoubtfulView() {
  const query = useQuery(apiQuery('/api/v1/costs/doubtful', { query: { limit: most } }));
  return (
    <Reading query={query}>
      {({ data: calls }) => (
        <Card flush>
          {calls.length === 0 ? (
            <EmptyState title="No figure is in doubt">
              Answers that claim more than their request allows, or that cannot be read, are listed here.
            </EmptyState>
          ) : (
            <RowsTable
              label="Calls whose figures are in doubt"
              rows={calls}
              rowKey={({ event_id }) => event_id}
              columns={[
                {
                  head: 'Time',
                  cell: ({ event_id, started_at }) => (
                    <Link to="/events/$eventId" params={{ eventId: event_id }}>
                      <TimeStamp at={started_at} />
                    </Link>
                  ),
                },
                { head: 'Agent', cell: ({ agent_id, agent_name }) => <AgentLink id={agent_id} name={agent_name} /> },
                { head: 'Model', cell: ({ model, provider }) => `${model} (${provider})` },
                { head: 'Why', cell: ({ reason }) => reasons[reason] },
                { head: 'Claimed', right: true, cell: ({ claimed_cost_usd }) => <Money usd={claimed_cost_usd} /> },
                { head: 'Recorded', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
              ]}
            />
          )}
        </Card>
      )}
    </Reading>
  );
}
