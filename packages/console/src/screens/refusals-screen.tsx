import type { Refusal } from '@agp/core/contracts';
import { explainRefusal, knownRefusals } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../api/api.ts';
import { CopyAs } from '../components/export.tsx';
import { EmptyState } from '../components/feedback.tsx';
import { AgentField, Choice, SearchField } from '../components/filters.tsx';
import type { Column } from '../components/list.tsx';
import { ListScreen, pageSize, useFilters } from '../components/list-screen.tsx';
import { DecidedBy } from '../components/policies.tsx';
import { AgentLink, ShortId, TimeStamp } from '../components/values.tsx';
import { timeSpans } from '../search/search.ts';

const route = getRouteApi('/refusals');

const reasons = knownRefusals.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

const unknown = {
  why: 'This version of the console does not know this code.',
  wayOut: 'The documentation of the proxy lists them.',
};

/** Columns of every list of refused requests. */
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
    cell: ({ reason, rule }) => {
      const { why, wayOut } = explainRefusal(reason, 'console', rule) ?? unknown;
      return (
        <div className="text-cell">
          <strong>{reason.replaceAll('_', ' ')}</strong>
          <div className="small">
            {why} <span className="dim">{wayOut}</span>
          </div>
          {rule && <RuleOf rule={rule} />}
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

/** @param rule `policy rule: why` */
function RuleOf({ rule }: { rule: string }) {
  const [policy = ''] = rule.split(' ');
  return (
    <div className="small">
      See <DecidedBy policy={policy} />
    </div>
  );
}

export function RefusalsScreen() {
  const { filter, bind, ...at } = useFilters(route.useSearch());
  const query = useQuery({
    ...apiQuery('/api/v1/refusals', { query: { ...filter, cursor: at.cursor, limit: pageSize } }),
    ...(at.isFirst && { refetchInterval: refreshMs }),
  });
  return (
    <ListScreen
      title="Refusals"
      about="Requests that the proxy refused. They cost nothing and are no events; the audit log counts all of them."
      actions={<CopyAs path="/api/v1/refusals" query={filter} command="refusals" />}
      filters={
        <>
          <Choice label="Time" none="All" options={timeSpans} {...bind('from')} />
          <Choice label="Why" none="All" options={reasons} {...bind('reason')} />
          <AgentField {...bind('agent_id')} />
          <SearchField label="Provider" {...bind('provider')} />
          <SearchField label="Request id" {...bind('request_id')} />
        </>
      }
      label="Refused requests"
      nouns={['refusal', 'refusals']}
      query={query}
      at={at}
      rowKey={({ id }) => id}
      columns={refusalColumns}
      hint="Try a longer time or another reason."
      none={<EmptyState title="Nothing was refused">No request was refused yet.</EmptyState>}
      footer={
        <Link to="/audit" search={{ action: 'request.refused' }}>
          Counted in the audit log
        </Link>
      }
    />
  );
}
