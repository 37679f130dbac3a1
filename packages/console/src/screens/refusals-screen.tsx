import type { Refusal } from '@agp/core/contracts';
import { explainRefusal, formatCount, knownRefusals } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../api/api.ts';
import { CopyAs } from '../components/export.tsx';
import { EmptyState } from '../components/feedback.tsx';
import { Choice, SearchField } from '../components/filters.tsx';
import { AgentField, UsedField } from '../components/known-fields.tsx';
import { type Column, List } from '../components/list.tsx';
import { ListScreen } from '../components/list-screen.tsx';
import { pageSize } from '../components/pager.tsx';
import { DecidedBy, PolicyField } from '../components/policies.tsx';
import { useFilters } from '../components/use-filters.tsx';
import { AgentLink, ShortId, TimeStamp } from '../components/values.tsx';
import { timeSpans } from '../search/search.ts';

const route = getRouteApi('/refusals');

const reasons = Object.fromEntries(knownRefusals.map((reason) => [reason, reason.replaceAll('_', ' ')]));

const unknown = {
  why: 'This version of the console does not know this code.',
  wayOut: 'The documentation of the proxy lists them.',
};

/** Refusals of one cause, agent and provider. */
export interface Alike {
  latest: Refusal;
  first: Refusal;
  all: readonly Refusal[];
  /** How many requests they stand for. */
  count: number;
}

/** Those alike in one, by its latest. @param rows the latest first */
export function groupRefusals(rows: readonly Refusal[]): Alike[] {
  const groups = Map.groupBy(rows, ({ agent_id, source_ip, reason, rule, provider }) =>
    JSON.stringify([agent_id ?? source_ip, reason, rule, provider]),
  );
  return [...groups.values()].map((all) => ({
    latest: all[0] as Refusal,
    first: all.at(-1) as Refusal,
    all,
    count: all.reduce((sum, { count }) => sum + count, 0),
  }));
}

/** Columns of every list of refused requests; in a list with filters the first shows two lines, and all beside the list. */
export const refusalColumns: readonly Column<Alike>[] = [
  {
    head: 'Why',
    cell: ({ latest: { reason, rule, told } }) => {
      const { why, wayOut } = explainRefusal(reason, 'console', rule) ?? unknown;
      return (
        <div className="text-cell why">
          <strong>{why}</strong>
          <div className="small dim">
            {reason.replaceAll('_', ' ')}: {wayOut}
            {rule && <RuleOf rule={rule} />}
            {told && <div>It was told: {told}</div>}
          </div>
        </div>
      );
    },
  },
  { head: 'Requests', right: true, cell: ({ count }) => formatCount(count) },
  {
    head: 'Agent',
    cell: ({ latest: { agent_id, agent_name, source_ip } }) =>
      agent_id === null ? (
        <span className="dim">not known, from {source_ip}</span>
      ) : (
        <AgentLink id={agent_id} name={agent_name} />
      ),
  },
  {
    head: 'Last',
    cell: ({ latest, first }) => (
      <div>
        <TimeStamp at={latest.timestamp} />
        {first !== latest && (
          <div className="small dim nowrap hide-narrow">
            first <TimeStamp at={first.timestamp} />
          </div>
        )}
      </div>
    ),
  },
  {
    head: 'Sent to',
    wide: true,
    cell: ({ latest: { provider, path } }) => (
      <span className="small">
        {provider ?? <span className="dim">no provider</span>} <span className="dim">{path}</span>
      </span>
    ),
  },
];

/** Each of those in one row. */
const AlikePeek = ({ of }: { of: Alike }) => (
  <List
    label="Each of them"
    rows={of.all}
    rowKey={({ id }) => id}
    columns={[
      { head: 'Time', cell: ({ timestamp }: Refusal) => <TimeStamp at={timestamp} /> },
      { head: 'Request id', cell: ({ request_id }) => <ShortId id={request_id} what="request id" /> },
      { head: 'Requests', right: true, cell: ({ count }) => formatCount(count) },
      { head: 'Path', cell: ({ path }) => <span className="small dim">{path}</span> },
    ]}
  />
);

/** @param rule `policy rule: why` */
function RuleOf({ rule }: { rule: string }) {
  const [policy = ''] = rule.split(' ');
  return (
    <>
      {' '}
      See <DecidedBy policy={policy} />.
    </>
  );
}

export function RefusalsScreen() {
  const { filter, bind, ...at } = useFilters(route.useSearch());
  const query = useQuery({
    ...apiQuery('/api/v1/refusals', { query: { ...filter, cursor: at.cursor, limit: pageSize, total: 'true' } }),
    ...(at.isFirst && { refetchInterval: refreshMs }),
  });
  return (
    <ListScreen
      title="Refusals"
      about={
        <>
          Requests that the proxy refused, alike ones in one row. They cost nothing and are no events; the audit log{' '}
          <Link to="/audit" search={{ action: 'request.refused' }}>
            counts all of them
          </Link>
          .
        </>
      }
      actions={<CopyAs path="/api/v1/refusals" query={filter} command="refusals" />}
      filters={
        <>
          <Choice label="Time" none="All" options={timeSpans} {...bind('from')} />
          <Choice label="Why" none="All" options={reasons} {...bind('reason')} />
          <PolicyField {...bind('policy')} />
          <SearchField label="Rule" {...bind('rule')} />
          <AgentField {...bind('agent_id')} />
          <UsedField label="Provider" of="provider" {...bind('provider')} />
          <SearchField label="Request id" {...bind('request_id')} />
        </>
      }
      label="Refused requests"
      nouns={['refusal', 'refusals']}
      query={query}
      at={at}
      rowKey={({ latest }) => latest.id}
      arrange={groupRefusals}
      columns={refusalColumns}
      peek={(alike) => <AlikePeek of={alike} />}
      hint="Try a longer time or another reason."
      none={<EmptyState title="Nothing was refused">No request was refused yet.</EmptyState>}
    />
  );
}
