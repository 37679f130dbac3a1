import type { CostUsageEntry } from '@agp/core/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery, refreshMs, usageQuery } from '../api/api.ts';
import { formatShortCount } from '../format/format.ts';
import { useUnpriced } from './cost.tsx';
import { EmptyState, Reading } from './feedback.tsx';
import { ConnectButton } from './layout.tsx';
import { figureColumn, List } from './list.tsx';
import { Endings, resultColumns } from './results.tsx';
import { AgentLink, Name } from './values.tsx';

/** The dearest that a list has. */
const most = 100;

/** Sums of a range by provider or model. @param agent_id only its requests */
export const useSums = (kind: 'provider' | 'model', from: string, agent_id?: string) =>
  useQuery({ ...usageQuery({ from, agent_id }, [kind], most), refetchInterval: refreshMs });

/** Pairs of an agent and a provider or model that are read, those that failed most. */
const mostPairs = 1_000;

/** Whose requests a provider or model had, those that failed most first. */
export function AskingAgents({ kind, name, from }: { kind: 'provider' | 'model'; name: string; from: string }) {
  const sums = usageQuery({ from }, [kind, 'agent'], mostPairs, 'failed');
  return (
    <Reading query={useQuery({ ...sums, refetchInterval: refreshMs })}>
      {({ data: { usage, from: since } }) => (
        <List
          title="Its agents"
          label="Its agents"
          rows={usage.filter((row) => row[kind] === name).toSorted((a, b) => b.failed_count - a.failed_count)}
          rowKey={(row) => row.agent_id ?? ''}
          columns={[
            { head: 'Agent', cell: (row) => <AgentLink id={row.agent_id ?? ''} name={row.agent_name ?? ''} /> },
            ...resultColumns(({ agent_id }) => ({ agent_id, [kind]: name, from: since ?? undefined })),
          ]}
        />
      )}
    </Reading>
  );
}

/** How many requests to a provider are listed as refused. */
function Refused({ search }: { search: { provider: string | undefined; from: string | undefined } }) {
  const { data } = useQuery(apiQuery('/api/v1/refusals', { query: { ...search, limit: most } }));
  const count = data?.data.length ?? 0;
  if (count === 0) return <span className="dim">{data && '0'}</span>;
  return (
    <Link to="/refusals" search={search}>
      {count}
      {data?.next && '+'}
    </Link>
  );
}

interface SumListProps {
  kind: 'provider' | 'model';
  from: string;
  agent_id?: string;
  title: string;
}

/** What each provider or model was asked, how it answered and what it cost; those of an agent lead to its events. */
export function SumList({ kind, from, agent_id, title }: SumListProps) {
  const query = useSums(kind, from, agent_id);
  const unpriced = useUnpriced({ from, agent_id }, [kind], (row) => row[kind] ?? '');
  const since = query.data?.data.from ?? undefined;
  return (
    <Reading query={query}>
      {({ data: { usage } }) => (
        <List
          title={title}
          label={title}
          rows={usage}
          rowKey={(row) => row[kind] ?? ''}
          columns={[
            {
              head: kind === 'model' ? 'Model' : 'Provider',
              by: ({ [kind]: name = '' }: CostUsageEntry) => name,
              cell: ({ [kind]: name = '' }: CostUsageEntry) => (
                <Link
                  to={agent_id ? '/events' : '/providers'}
                  search={agent_id ? { agent_id, [kind]: name, from: since } : { [kind]: name, from: from as never }}
                >
                  <Name>{name}</Name>
                </Link>
              ),
            },
            ...resultColumns(
              (row) => ({ agent_id, [kind]: row[kind], from: since }),
              (row) => unpriced.get(row[kind] ?? ''),
            ),
            {
              head: 'Ended with',
              cell: (row: CostUsageEntry) =>
                row.failed_count > 0 && <Endings search={{ [kind]: row[kind], from: since }} />,
            },
            {
              head: 'Refused',
              right: true,
              cell: ({ provider }: CostUsageEntry) => <Refused search={{ provider, from: since }} />,
            },
            figureColumn('Tokens', (row: CostUsageEntry) => row.total_tokens, formatShortCount, true),
          ].filter(({ head }) => !(head === 'Ended with' && agent_id) && !(head === 'Refused' && kind === 'model'))}
          none={<EmptyState title={`No ${kind} was asked in this time`} action={<ConnectButton />} />}
        />
      )}
    </Reading>
  );
}
