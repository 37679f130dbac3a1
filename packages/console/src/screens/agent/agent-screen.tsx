import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { apiQuery, refreshMs } from '../../api/api-query.ts';
import type { AgentOverview } from '../../api/shapes.ts';
import { ChangeStatus } from '../../changes/change-status.tsx';
import { SetCap } from '../../changes/set-cap.tsx';
import { SetLimit } from '../../changes/set-limit.tsx';
import { Reading } from '../../components/reading.tsx';
import { Screen } from '../../components/screen.tsx';
import { StatusPill } from '../../components/values/pill.tsx';
import { CopyText } from '../../components/values/short-id.tsx';
import { usePermissions } from '../../session/session-context.ts';
import { AgentFigures } from './agent-figures.tsx';
import { AgentTimeline } from './agent-timeline.tsx';
import { AgentUsage } from './agent-usage.tsx';
import { AgentWays } from './agent-ways.tsx';

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
          </span>
        ) : (
          'Agent'
        )
      }
      about={
        <>
          <span className="mono">{agentId}</span> <CopyText text={agentId} what="agent id" />
        </>
      }
      actions={overview && <Actions overview={overview} />}
    >
      <AgentWays agentId={agentId} />
      <Reading query={query}>
        {({ data }) => (
          <>
            <RetiredButSending overview={data} />
            <AgentFigures overview={data} />
            <AgentUsage overview={data} />
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
      <SetCap
        owner={{ kind: 'agent', id: agent.id, name: agent.name }}
        cap={agent.daily_cap_usd}
        warnOnly={agent.warn_only}
        spent={budget?.spent_usd ?? agent.cost_today_usd}
        size="sm"
      />
      <SetLimit agent={agent} limit={agent.requests_per_minute} size="sm" />
      {agent.status !== 'retired' && <ChangeStatus agent={agent} to="retired" />}
      {agent.status !== 'active' && <ChangeStatus agent={agent} to="active" />}
      {agent.status !== 'blocked' && <ChangeStatus agent={agent} to="blocked" />}
    </>
  );
}

function RetiredButSending({ overview: { agent } }: { overview: AgentOverview }) {
  if (agent.status !== 'retired' || agent.requests_today === 0) return null;
  return (
    <div className="banner" data-tone="warn">
      <div>
        <strong>It is retired, and still sends.</strong> {agent.requests_today} requests today were served: retiring
        stops nothing. Block it to stop it.
      </div>
    </div>
  );
}
