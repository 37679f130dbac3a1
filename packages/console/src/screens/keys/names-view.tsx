import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/api-query.ts';
import { callApi } from '../../api/call-api.ts';
import { Card } from '../../components/card.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { RowsTable } from '../../components/lists/rows-table.tsx';
import { Reading } from '../../components/reading.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';
import { formatCount } from '../../format/format-count.ts';

/** Names that work only with a token. */
export function NamesView() {
  const query = useQuery(apiQuery('/api/v1/claimed-names'));
  return (
    <Reading query={query}>
      {({ data: names }) => (
        <Card title="Claimed names" flush>
          {names.length === 0 ? (
            <EmptyState title="No name is claimed">An agent’s first token claims its name.</EmptyState>
          ) : (
            <RowsTable
              label="Claimed names"
              rows={names}
              rowKey={({ name }) => name}
              columns={[
                { head: 'Name', cell: ({ name }) => name },
                { head: 'Claimed', cell: ({ claimed_at }) => <TimeStamp at={claimed_at} /> },
                { head: 'Tokens', right: true, cell: ({ token_count }) => formatCount(token_count) },
                {
                  head: 'Action',
                  silent: true,
                  right: true,
                  cell: ({ name, token_count }) =>
                    token_count === 0 ? (
                      <ReleaseName name={name} />
                    ) : (
                      <span className="small dim">revoke its tokens first</span>
                    ),
                },
              ]}
            />
          )}
        </Card>
      )}
    </Reading>
  );
}

function ReleaseName({ name }: { name: string }) {
  return (
    <ConfirmButton
      name={`Release ${name}`}
      title={`Release ${name}?`}
      verb="Release"
      danger
      change={(reason) =>
        callApi('delete', '/api/v1/claimed-names/{name}', { params: { path: { name }, query: { reason } } })
      }
    >
      Any caller may use the name again, without a token.
    </ConfirmButton>
  );
}
