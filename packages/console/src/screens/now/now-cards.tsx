import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { apiQuery } from '../../api/api.ts';
import type { Status } from '../../api/shapes.ts';
import { fillHours } from '../../charts/chart-data.ts';
import { CapBar } from '../../components/cap-bar.tsx';
import { FailureNotice, FaultBoundary } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { type Column, RowsTable } from '../../components/list.tsx';
import { AgentLink, Money, PiiLinks, Pill, TimeAgo } from '../../components/values.tsx';
import { formatCount, type Tone } from '../../format/format.ts';
import { ChainCard } from '../../verify/chain-card.tsx';
import { useChainCheck } from '../../verify/use-chain-check.ts';
import { checkAudit } from '../audit/audit-chain.tsx';

interface Named {
  agent_id: string;
  agent_name: string;
}

interface AgentListProps<Row> {
  title: string;
  label?: string;
  more: ReactNode;
  rows: readonly Row[] | null | undefined;
  columns: readonly Column<Row>[];
}

/** Some agents; nothing if there are none. */
function AgentList<Row extends Named>({ title, label = title, more, rows, columns }: AgentListProps<Row>) {
  if (!rows || rows.length === 0) return null;
  return (
    <Card title={title} flush aside={more}>
      <RowsTable label={label} rows={rows} rowKey={({ agent_id }) => agent_id} columns={columns} />
    </Card>
  );
}

/** Who spends, who is near the cap, who is blocked, and what personal data went through today. */
export function NowLists({ status }: { status: Status }) {
  const { top_spenders: spenders, spend, agents, pii_today: pii } = status;
  const agent = {
    head: 'Agent',
    cell: ({ agent_id, agent_name }: Named) => <AgentLink id={agent_id} name={agent_name} />,
  };
  return (
    <div className="grid" style={{ ['--least' as string]: '24rem' }}>
      <AgentList
        title="Top spenders today"
        more={
          <Link to="/costs" search={{ by: 'agent', from: 'today' }} className="small">
            Costs
          </Link>
        }
        rows={spenders}
        columns={[
          agent,
          { head: 'Cost', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
          { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
        ]}
      />
      <AgentList
        title="Near their cap"
        more={
          <Link to="/budgets" className="small">
            Budgets
          </Link>
        }
        rows={spend?.agents_near_cap}
        label="Agents near their cap"
        columns={[
          agent,
          {
            head: 'Spent of cap',
            cell: (row) => (
              <CapBar
                spent={row.spent_usd}
                cap={row.daily_cap_usd}
                warnOnly={row.warn_only}
                label={`Daily cap of ${row.agent_name}`}
              />
            ),
          },
        ]}
      />
      <AgentList
        title="Blocked"
        more={
          <Link to="/agents" search={{ status: 'blocked' }} className="small">
            All {formatCount(agents?.blocked ?? 0)}
          </Link>
        }
        rows={agents?.latest_blocked}
        label="Latest blocked agents"
        columns={[agent, { head: 'Changed', right: true, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> }]}
      />
      {pii && (
        <Card title="Personal data today">
          <PiiLinks findings={pii} search={{ from: 'today' }} none="None was found in today’s requests." />
        </Card>
      )}
    </div>
  );
}

/** Hours change slowly: once a minute, in milliseconds. */
const refreshMs = 60_000;
const height = 180;

const HourChart = lazy(() => import('../../charts/chart.tsx').then((file) => ({ default: file.HourChart })));

/** Cost and requests by the hour of the last day. Read after the figures, which do not wait for it. */
export function DayChartCard() {
  const { data, error } = useQuery({
    ...apiQuery('/api/v1/costs/usage', { query: { group_by: 'hour', from: '24h' } }),
    refetchInterval: refreshMs,
  });
  return (
    <Card title="The last 24 hours">
      {error && <FailureNotice error={error} />}
      <div style={{ minHeight: height }}>
        {data && (
          <FaultBoundary>
            <Suspense fallback={<Skeleton height={height} />}>
              <HourChart hours={fillHours(data.data.usage, Date.now())} height={height} />
            </Suspense>
          </FaultBoundary>
        )}
      </div>
    </Card>
  );
}

/** Whether the audit log is as it was written, by this browser's own computing. */
export function IntegrityCard() {
  return (
    <ChainCard
      check={useChainCheck(checkAudit)}
      title="Integrity"
      noun="entry"
      words={['Check the audit log', 'Check again']}
      idle="This browser downloads the audit log and computes every hash itself. Sessions are checked on their own pages."
      command="npm run agp -- audit verify"
      brief
    >
      <div className="small" style={{ marginTop: '0.5rem' }}>
        <Link to="/audit">Audit log</Link>
      </div>
    </ChainCard>
  );
}

const tones: Record<string, Tone> = { ready: 'good', not_ready: 'bad', unknown: 'plain' };

export function Services({ services }: { services: Status['services'] }) {
  if (!services) return null;
  return (
    <Card title="Services">
      <ul className="grid" style={{ margin: 0, padding: 0, listStyle: 'none', ['--least' as string]: '14rem' }}>
        {services.map(({ name, state, detail }) => (
          <li key={name}>
            <span style={{ display: 'flex', gap: '0.5rem', alignItems: 'center' }}>
              <strong style={{ textTransform: 'capitalize' }}>{name === 'nats' ? 'NATS' : name}</strong>
              <Pill tone={tones[state] ?? 'plain'}>{state.replace('_', ' ')}</Pill>
            </span>
            <span className="small dim">{detail}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
