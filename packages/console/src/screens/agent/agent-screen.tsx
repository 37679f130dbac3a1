import type { AgentOverview } from '@agp/core/contracts';
import { formatCount } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api.ts';
import { usePermissions, useSession } from '../../api/session-context.ts';
import { ChangeStatus, SetCap, SetLimit } from '../../changes/changes.tsx';
import { EditLabels } from '../../changes/labels.tsx';
import { CapBar, capOf, Outlook } from '../../components/cap-bar.tsx';
import { Reading } from '../../components/feedback.tsx';
import { Banner, Screen, Stat } from '../../components/layout.tsx';
import { Labels, Money, ShortId, StatusPill, StoppedBy, TimeAgo, TimeStamp } from '../../components/values.tsx';
import { AgentTimeline } from './agent-timeline.tsx';
import { AgentTools } from './agent-tools.tsx';
import { AgentUsage } from './agent-usage.tsx';

function AgentFigures({ overview }: { overview: AgentOverview }) {
  const { agent, budget, running_requests: running } = overview;
  const capped = budget ?? capOf(agent);
  return (
    <div className="stats">
      <Stat name="Spent today (UTC)" figure={<Money usd={capped.spent_usd ?? 0} />}>
        <CapBar of={capped} whose={agent.name} />
        <Outlook of={capped} line />
      </Stat>
      <Stat name="Requests today (UTC)" figure={formatCount(agent.requests_today)}>
        <span className="small dim">
          {running === null ? 'how many run is not known' : `${formatCount(running)} running now`}
        </span>
      </Stat>
      <Stat
        name="Limit"
        figure={agent.requests_per_minute === null ? 'none' : `${formatCount(agent.requests_per_minute)} a minute`}
      >
        <span className="small dim">
          {agent.requests_per_minute === null ? 'any number of requests a minute' : 'requests in a minute of the clock'}
        </span>
      </Stat>
      <Stat name="Last seen" figure={<TimeAgo at={agent.last_seen_at} />}>
        <span className="small dim">
          from {agent.source_ip}; first <TimeStamp at={agent.created_at} />
        </span>
      </Stat>
    </div>
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
      <span className="dim">More of it:</span>
      {places.map(([to, name]) => (
        <Link key={to} to={to} search={{ agent_id: agentId }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

const route = getRouteApi('/agents/$agentId');

/** One agent: what it is, used and did, and what was done about it. */
export function AgentScreen() {
  const { agentId } = route.useParams();
  const query = useQuery({
    ...apiQuery('/api/v1/agents/{id}/overview', { path: { id: agentId } }),
    refetchInterval: refreshMs,
  });
  const overview = query.data?.data;
  return (
    <Screen
      name={overview?.agent.name ?? 'Agent'}
      title={
        overview ? (
          <span style={{ display: 'flex', flexWrap: 'wrap', gap: '0.625rem', alignItems: 'center' }}>
            <span style={{ overflowWrap: 'anywhere' }}>{overview.agent.name}</span>
            <StatusPill status={overview.agent.status} />
            <Labels metadata={overview.agent.metadata} most={8} />
          </span>
        ) : (
          'Agent'
        )
      }
      about={<ShortId id={agentId} what="agent id" whole />}
      actions={overview && <Actions overview={overview} />}
    >
      <AgentWays agentId={agentId} />
      <Reading query={query}>
        {({ data }) => (
          <>
            <Blocked overview={data} />
            <RetiredButSending overview={data} />
            <AgentFigures overview={data} />
            <AgentUsage overview={data} />
            <AgentTools id={data.agent.id} />
            <AgentTimeline overview={data} />
          </>
        )}
      </Reading>
    </Screen>
  );
}

function Actions({ overview: { agent, budget } }: { overview: AgentOverview }) {
  const { change } = usePermissions();
  if (!change) return null;
  return (
    <>
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
  if (agent.status !== 'blocked') return null;
  return (
    <Banner>
      <strong>It is blocked</strong>
      <StoppedBy stop={block} />. Its requests are answered with 403
      {block?.until ? '' : ' until somebody unblocks it'}.
    </Banner>
  );
}

function RetiredButSending({ overview: { agent } }: { overview: AgentOverview }) {
  if (agent.status !== 'retired' || agent.requests_today === 0) return null;
  return (
    <Banner tone="warn">
      <strong>It is retired, and still sends.</strong> {agent.requests_today} requests today were served: retiring stops
      nothing. Block it to stop it.
    </Banner>
  );
}
