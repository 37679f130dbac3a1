import type { AgentOverview } from '@agp/core/contracts';
import { countOf, formatCount, toolKinds } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { alertsQuery, apiQuery, refreshMs } from '../../api/api.ts';
import { usePermissions, useSession } from '../../api/session.ts';
import { ChangeStatus } from '../../changes/change-status.tsx';
import { EditLabels } from '../../changes/labels.tsx';
import { SetCap } from '../../changes/set-cap.tsx';
import { SetLimit } from '../../changes/set-limit.tsx';
import { DayBars } from '../../charts/lazy-charts.tsx';
import { Acknowledge, AgentAlerts } from '../../components/alerts.tsx';
import { capOf } from '../../components/cap-bar.tsx';
import { EmptyState, FailureNotice, Reading } from '../../components/feedback.tsx';
import { Labels } from '../../components/labels.tsx';
import { Banner, Card, Screen } from '../../components/layout.tsx';
import { List } from '../../components/list.tsx';
import { SumList } from '../../components/sum-list.tsx';
import {
  Fields,
  Issuer,
  Name,
  PiiLinks,
  ShortId,
  StatusPill,
  StoppedBy,
  TimeAgo,
  TimeStamp,
} from '../../components/values.tsx';
import { EvidenceButton } from '../../evidence/evidence-button.tsx';
import { findFirstDay } from '../costs/usage-entries.ts';
import { AgentBudgets } from './agent-budgets.tsx';
import { AgentFigures } from './agent-figures.tsx';
import { AgentPolicies } from './agent-policies.tsx';
import { AgentTimeline } from './agent-timeline.tsx';

const height = 200;

function AgentUsage({ overview }: { overview: AgentOverview }) {
  const { agent, days, findings } = overview;
  const bars = days.map(({ day, total_cost_usd }) => ({ day, group: 'Cost', cost: total_cost_usd }));
  // Labels stand beside its name; a note is too long for that.
  const others = Object.entries(agent.metadata).filter(([name, value]) => typeof value !== 'string' || name === 'note');
  return (
    <>
      <div className="grid" style={{ ['--least' as string]: '24rem' }}>
        <Card title="Cost by day, last 30 days (UTC)">
          <div style={{ minHeight: height }}>
            {days.length === 0 ? (
              <EmptyState title="Nothing used in these days" />
            ) : (
              <DayBars entries={bars} height={height} />
            )}
          </div>
        </Card>
        <SumList kind="model" from={findFirstDay('30d')} agent_id={agent.id} title="Models, last 30 days" />
      </div>
      <div className="grid" style={{ ['--least' as string]: '24rem' }}>
        <AgentPolicies agent={agent} />
        <AgentBudgets id={agent.id} />
        <Card title="Personal data, last 30 days">
          <PiiLinks findings={findings} search={{ agent_id: agent.id }} none="None was found in its requests." />
        </Card>
        {others.length > 0 && (
          <Card title="Metadata">
            <Fields
              fields={Object.fromEntries(
                others.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
              )}
            />
          </Card>
        )}
      </div>
    </>
  );
}

/** Rows that are drawn at once. */
const atOnce = 10;

/** What an agent offered its models to call, and what their answers called; nothing if it has no tools. */
function AgentTools({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    ...apiQuery('/api/v1/agents/{id}/tools', { path: { id } }),
    staleTime: 60_000,
  });
  const tools = data?.data ?? [];
  if (error) return <FailureNotice error={error} retry={refetch} />;
  if (tools.length === 0) return null;
  return (
    <List
      title="Tools"
      aside={<span className="small dim">of its latest 5,000 requests of the last 30 days</span>}
      label="Tools"
      rows={tools}
      atOnce={atOnce}
      more={100}
      rowKey={({ kind, name }) => `${kind} ${name}`}
      columns={[
        { head: 'Tool', cell: ({ name }) => <Name>{name}</Name> },
        { head: 'Kind', cell: ({ kind }) => toolKinds[kind] ?? kind },
        { head: 'Called', right: true, cell: ({ called }) => formatCount(called) },
        { head: 'Offered', right: true, cell: ({ declared }) => formatCount(declared) },
        { head: 'First seen', cell: ({ first_seen_at }) => <TimeStamp at={first_seen_at} /> },
        { head: 'Last seen', cell: ({ last_seen_at }) => <TimeAgo at={last_seen_at} /> },
      ]}
    />
  );
}

/** Links to lists of what one agent did: screens of their own, so these are no tabs. */
function AgentWays({ agentId }: { agentId: string }) {
  const { edition } = useSession();
  const places = [
    ['/events', 'Events'],
    ['/live', 'Live'],
    ...(edition === 'extended' ? ([['/sessions', 'Sessions']] as const) : []),
    ['/refusals', 'Refusals'],
    ['/costs', 'Costs'],
    ['/audit', 'Audit log'],
  ] as const;
  return (
    <nav className="ways no-print" aria-label="More about this agent">
      <span className="dim">See also:</span>
      {places.map(([to, name]) => (
        <Link key={to} to={to} search={{ agent_id: agentId }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

const route = getRouteApi('/agents/$agentId');

const useOverview = (id: string) =>
  useQuery({ ...apiQuery('/api/v1/agents/{id}/overview', { path: { id } }), refetchInterval: refreshMs });

/** The same beside a list: what it spends and how it fails. */
export function AgentPeek({ id }: { id: string }) {
  return (
    <Reading query={useOverview(id)} shape={{ panels: 4 }}>
      {({ data }) => <AgentState overview={data} />}
    </Reading>
  );
}

/** One agent: what it is, used and did, and what was done about it. */
export function AgentScreen() {
  const { agentId } = route.useParams();
  const query = useOverview(agentId);
  const overview = query.data?.data;
  return (
    <Screen
      name={overview?.agent.name ?? 'Agent'}
      title={
        overview ? (
          <span style={{ display: 'flex', flexWrap: 'wrap', gap: '0.625rem', alignItems: 'center' }}>
            <span style={{ overflowWrap: 'anywhere' }}>{overview.agent.name}</span>
            <StatusPill status={overview.agent.status} />
            <Labels of={overview.agent.metadata} most={8} />
          </span>
        ) : (
          'Agent'
        )
      }
      about={
        <>
          <ShortId id={agentId} what="agent id" whole />
          {overview?.identity && (
            <>
              {' · '}belongs to <Issuer name={overview.identity.issuer} /> as {overview.identity.name}
            </>
          )}
        </>
      }
      actions={overview && <Actions overview={overview} />}
    >
      <Reading query={query} shape={{ panels: 4, chart: 200 }}>
        {({ data }) => (
          <>
            <AgentAlerts id={agentId} />
            <AgentWays agentId={agentId} />
            <AgentState overview={data} />
            <AgentUsage overview={data} />
            <AgentTools id={data.agent.id} />
            <AgentTimeline overview={data} />
          </>
        )}
      </Reading>
    </Screen>
  );
}

function AgentState({ overview }: { overview: AgentOverview }) {
  return (
    <>
      <Blocked overview={overview} />
      <RetiredButSending overview={overview} />
      <AgentFigures overview={overview} />
    </>
  );
}

function Actions({ overview: { agent, budget } }: { overview: AgentOverview }) {
  const { change } = usePermissions();
  const evidence = <EvidenceButton of={{ whose: 'agent', agent_id: agent.id }} at="evidence" />;
  if (!change) return evidence;
  return (
    <>
      {evidence}
      <SetCap owner={{ kind: 'agents', agents: [agent] }} of={budget ?? capOf(agent)} size="sm" />
      <SetLimit agent={agent} limit={agent.requests_per_minute} size="sm" />
      <EditLabels agents={[agent]} size="sm" />
      {agent.status !== 'retired' && <ChangeStatus agents={[agent]} to="retired" />}
      {agent.status !== 'active' && <ChangeStatus agents={[agent]} to="active" />}
      {agent.status !== 'blocked' && <ChangeStatus agents={[agent]} to="blocked" />}
    </>
  );
}

function Blocked({ overview: { agent, block } }: { overview: AgentOverview }) {
  const asked = alertsQuery({ state: 'unresolved', agent_id: agent.id });
  const { data } = useQuery({ ...asked, enabled: agent.status === 'blocked' });
  if (agent.status !== 'blocked') return null;
  const told = data?.data.find(({ kind }) => kind === 'change');
  return (
    <Banner>
      <strong>Blocked</strong>
      <StoppedBy stop={block} />. Its requests are answered with 403
      {block?.until ? '' : ' until somebody unblocks it'}.{' '}
      {told && (
        <Link to="/alerts" search={{ agent_id: agent.id }}>
          alert {told.state}
        </Link>
      )}{' '}
      {told && <Acknowledge of={told} />}
    </Banner>
  );
}

function RetiredButSending({ overview: { agent } }: { overview: AgentOverview }) {
  if (agent.status !== 'retired' || agent.requests_today === 0) return null;
  return (
    <Banner tone="warn">
      <strong>It is retired, and still sends.</strong> {countOf(agent.requests_today, 'request')} served today: retiring
      stops nothing. Block it to stop it.
    </Banner>
  );
}
