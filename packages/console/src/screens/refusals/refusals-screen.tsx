import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api-query.ts';
import type { Refusal } from '../../api/shapes.ts';
import { Card } from '../../components/card.tsx';
import { Choice } from '../../components/choice.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Pager } from '../../components/pager.tsx';
import { Reading } from '../../components/reading.tsx';
import { AgentLink } from '../../components/references.tsx';
import { type Column, RowsTable } from '../../components/rows-table.tsx';
import { Screen } from '../../components/screen.tsx';
import { ShortId } from '../../components/short-id.tsx';
import { TimeStamp } from '../../components/time-stamp.tsx';
import { explainRefusal, knownRefusals } from '../../explain/explain-refusal.ts';
import { shortenId } from '../../format/shorten-id.ts';
import { timeSpans } from '../../search/time-spans.ts';
import type { RefusalsSearch } from './read-refusals-search.ts';

const route = getRouteApi('/refusals');
const pageSize = 50;

const reasons = knownRefusals.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

/** Of every list of refused requests. */
export const refusalColumns: readonly Column<Refusal>[] = [
  { head: 'Time', cell: ({ timestamp }) => <TimeStamp at={timestamp} /> },
  {
    head: 'Agent',
    cell: ({ agent_id, agent_name, source_ip }) =>
      agent_id === null ? (
        <span className="dim">not known, from {source_ip}</span>
      ) : (
        <AgentLink id={agent_id} name={agent_name} />
      ),
  },
  {
    head: 'Why',
    cell: ({ reason }) => {
      const { why, wayOut } = explainRefusal(reason);
      return (
        <div>
          <strong>{reason.replaceAll('_', ' ')}</strong>
          <div className="small">
            {why} <span className="dim">{wayOut}</span>
          </div>
        </div>
      );
    },
  },
  {
    head: 'Sent to',
    cell: ({ provider, path }) => (
      <span className="small">
        {provider ?? <span className="dim">no provider</span>} <span className="dim">{path}</span>
      </span>
    ),
  },
  { head: 'Request id', cell: ({ request_id }) => <ShortId id={request_id} what="request id" /> },
];

/** Requests that the proxy refused: why, and what to do. */
export function RefusalsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { history } = useRouter();
  const isFirst = search.cursor === undefined;
  const query = useQuery({
    ...apiQuery('/api/v1/refusals', { query: { ...search, limit: pageSize } }),
    ...(isFirst && { refetchInterval: refreshMs }),
  });
  const change = (next: Partial<RefusalsSearch>) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...next }), replace: true });
  const isFiltered = search.agent_id !== undefined || search.reason !== undefined || search.from !== undefined;
  return (
    <Screen
      title="Refusals"
      about="Requests that the proxy refused. They cost nothing and are no events; the audit log counts all of them."
      actions={
        <>
          <Choice
            label="Time"
            none="All"
            options={timeSpans}
            value={search.from}
            onChange={(from) => change({ from })}
          />
          <Choice
            label="Why"
            none="All"
            options={reasons}
            value={search.reason}
            onChange={(reason) => change({ reason })}
          />
          {search.agent_id !== undefined && (
            <Button variant="default" onClick={() => change({ agent_id: undefined })}>
              agent: {shortenId(search.agent_id)} ×
            </Button>
          )}
        </>
      }
    >
      <Reading query={query}>
        {({ data: refusals, next }) => (
          <Card flush>
            {refusals.length === 0 ? (
              <EmptyState
                title={isFiltered ? 'No refusal matches' : 'Nothing was refused'}
                action={
                  isFiltered && (
                    <Button variant="default" onClick={() => void navigate({ search: {} })}>
                      Show all refusals
                    </Button>
                  )
                }
              >
                {isFiltered ? 'Try a longer time or another reason.' : 'No request was refused yet.'}
              </EmptyState>
            ) : (
              <RowsTable
                label="Refused requests"
                rows={refusals}
                rowKey={({ id }) => id}
                columns={refusalColumns}
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
                <Link to="/audit" search={{ action: 'request.refused' }}>
                  Counted in the audit log
                </Link>
              </Pager>
            )}
          </Card>
        )}
      </Reading>
    </Screen>
  );
}
