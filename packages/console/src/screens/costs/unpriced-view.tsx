import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery } from '../../api/api-query.ts';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { Reading } from '../../components/reading.tsx';
import { TimeAgo, TimeStamp } from '../../components/values/time-stamp.tsx';
import { formatCount, formatShortCount } from '../../format/format-count.ts';

/** Models that were used without a price: what they cost counted as nothing. */
export function UnpricedView() {
  const query = useQuery(apiQuery('/api/v1/costs/unpriced'));
  return (
    <Reading query={query}>
      {({ data: models }) => (
        <Card flush>
          {models.length === 0 ? (
            <EmptyState title="Every model has a price">
              Calls of a model without one would be recorded with cost 0, and listed here.
            </EmptyState>
          ) : (
            <>
              <p className="card-body" style={{ margin: 0, paddingTop: '1rem' }}>
                Their calls were recorded with cost 0 and use up no cap. Add their prices to the file that{' '}
                <span className="mono">PRICES_FILE</span> names: it prices later calls.
              </p>
              <RowsTable
                label="Models without a price"
                rows={models}
                rowKey={({ provider, model }) => `${provider} ${model}`}
                columns={[
                  {
                    head: 'Model',
                    cell: ({ model, provider }) => (
                      <Link to="/events" search={{ model, provider }}>
                        {model}
                      </Link>
                    ),
                  },
                  { head: 'Provider', cell: ({ provider }) => provider },
                  { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
                  {
                    head: 'Tokens in',
                    right: true,
                    cell: ({ total_prompt_tokens }) => formatShortCount(total_prompt_tokens),
                  },
                  {
                    head: 'Tokens out',
                    right: true,
                    cell: ({ total_completion_tokens }) => formatShortCount(total_completion_tokens),
                  },
                  { head: 'First', cell: ({ first_seen_at }) => <TimeStamp at={first_seen_at} /> },
                  { head: 'Last', cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
                ]}
              />
            </>
          )}
        </Card>
      )}
    </Reading>
  );
}
