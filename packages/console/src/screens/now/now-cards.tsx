import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { apiQuery } from '../../api/api.ts';
import type { Status } from '../../api/shapes.ts';
import { fillHours } from '../../charts/chart-data.ts';
import { FailureNotice, FaultBoundary } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { RowsTable } from '../../components/list.tsx';
import { CapBar, Money, Pill, TimeAgo } from '../../components/values.tsx';
import { formatCount, type Tone } from '../../format/format.ts';
import { ChainReport } from '../../verify/chain-report.tsx';
import { canHash } from '../../verify/check-chain.ts';
import { useChainCheck } from '../../verify/use-chain-check.ts';
import { checkAudit } from '../audit/audit-chain.tsx';

function AgentName({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/agents/$agentId" params={{ agentId: id }}>
      {name}
    </Link>
  );
}

/** Who spends, who is near the cap, who is blocked, and what personal data went through today. */
export function NowLists({ status }: { status: Status }) {
  const { top_spenders: spenders, spend, agents, pii_today: pii } = status;
  return (
    <div className="grid" style={{ ['--least' as string]: '24rem' }}>
      {spenders && spenders.length > 0 && (
        <Card
          title="Top spenders today"
          flush
          aside={
            <Link to="/costs" search={{ by: 'agent', from: 'today' }} className="small">
              Costs
            </Link>
          }
        >
          <RowsTable
            label="Top spenders today"
            rows={spenders}
            rowKey={({ agent_id }) => agent_id}
            columns={[
              { head: 'Agent', cell: (row) => <AgentName id={row.agent_id} name={row.agent_name} /> },
              { head: 'Cost', right: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
              { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
            ]}
          />
        </Card>
      )}
      {spend && spend.agents_near_cap.length > 0 && (
        <Card
          title="Near their cap"
          flush
          aside={
            <Link to="/budgets" className="small">
              Budgets
            </Link>
          }
        >
          <RowsTable
            label="Agents near their cap"
            rows={spend.agents_near_cap}
            rowKey={({ agent_id }) => agent_id}
            columns={[
              { head: 'Agent', cell: (row) => <AgentName id={row.agent_id} name={row.agent_name} /> },
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
        </Card>
      )}
      {agents && agents.latest_blocked.length > 0 && (
        <Card
          title="Blocked"
          flush
          aside={
            <Link to="/agents" search={{ status: 'blocked' }} className="small">
              All {formatCount(agents.blocked)}
            </Link>
          }
        >
          <RowsTable
            label="Latest blocked agents"
            rows={agents.latest_blocked}
            rowKey={({ agent_id }) => agent_id}
            columns={[
              { head: 'Agent', cell: (row) => <AgentName id={row.agent_id} name={row.agent_name} /> },
              { head: 'Changed', right: true, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
            ]}
          />
        </Card>
      )}
      {pii && (
        <Card title="Personal data today">
          {pii.length === 0 ? (
            <span className="dim">None was found in today’s requests.</span>
          ) : (
            <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.5rem' }}>
              {pii.map(({ type, event_count }) => (
                <Link key={type} to="/events" search={{ pii_type: type, from: 'today' }}>
                  <Pill tone="warn">
                    {type.replaceAll('_', ' ')} {formatCount(event_count)}
                  </Pill>
                </Link>
              ))}
            </div>
          )}
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
  const { state, start } = useChainCheck(checkAudit);
  const isRunning = state.kind === 'report' && state.report.kind === 'running';
  return (
    <Card
      title="Integrity"
      aside={
        canHash() && (
          <Button size="xs" variant="default" onClick={() => void start()} loading={isRunning}>
            {state.kind === 'idle' ? 'Check the audit log' : 'Check again'}
          </Button>
        )
      }
    >
      {state.kind === 'idle' && (
        <span className="dim">
          {canHash()
            ? 'This browser downloads the audit log and computes every hash itself. Sessions are checked on their own pages.'
            : 'This browser hashes only on https pages and on this machine: see the audit log for how to check it.'}
        </span>
      )}
      {state.kind === 'failed' && <FailureNotice error={state.error} />}
      {state.kind === 'report' && <ChainReport state={{ ...state.report, steps: [] }} noun="entry" />}
      <div className="small" style={{ marginTop: '0.5rem' }}>
        <Link to="/audit">Audit log</Link>
      </div>
    </Card>
  );
}

const tones: Record<string, Tone> = { ready: 'good', not_ready: 'bad', unknown: 'plain' };

/** What runs and what does not. */
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
