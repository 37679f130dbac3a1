import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { apiQuery } from '../../api/api-query.ts';
import type { Agent, StreamEvent } from '../../api/shapes.ts';
import { ChangeStatus } from '../../changes/change-status.tsx';
import { SetCap } from '../../changes/set-cap.tsx';
import { Card } from '../../components/card.tsx';
import { FailureNotice } from '../../components/failure-notice.tsx';
import { CapBar } from '../../components/values/cap-bar.tsx';
import { Money } from '../../components/values/money.tsx';
import { StatusPill } from '../../components/values/pill.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';
import { formatCount } from '../../format/format-count.ts';
import { useLiveEvents } from '../../live/use-live-events.ts';
import { usePermissions } from '../../session/session-context.ts';

const lookMs = 2_000;

/** Whether the agent has come, and its latest event as it arrives. */
export function FirstEvent({ agentName }: { agentName: string }) {
  const { change } = usePermissions();
  const matches = useCallback((event: StreamEvent) => event.agent_name === agentName, [agentName]);
  const { rows, state } = useLiveEvents({}, matches);
  const query = useQuery({
    ...apiQuery('/api/v1/agents', { query: { search: agentName, expand: 'usage', order: 'seen', limit: 50 } }),
    refetchInterval: lookMs,
  });
  const agent = query.data?.data.find(({ name }) => name === agentName);
  return (
    <>
      <Card title="2. See its first event arrive">
        {state.kind === 'lost' && <FailureNotice error={state.error} />}
        <div role="status">
          {rows.length > 0 ? <Arrived events={rows} /> : <Waiting agent={agent} agentName={agentName} />}
        </div>
      </Card>
      <Card title="3. Give it a daily cap">
        {agent ? (
          <div className="filters" style={{ alignItems: 'center' }}>
            <div style={{ flex: '1 1 14rem' }}>
              <CapBar
                spent={agent.cost_today_usd ?? 0}
                cap={agent.daily_cap_usd ?? null}
                warnOnly={agent.warn_only}
                label={`Daily cap of ${agent.name}`}
              />
            </div>
            {change && (
              <SetCap
                owner={{ kind: 'agent', id: agent.id, name: agent.name }}
                cap={agent.daily_cap_usd ?? null}
                warnOnly={agent.warn_only}
                spent={agent.cost_today_usd}
                size="sm"
              />
            )}
            {!change && <ReadOnly />}
          </div>
        ) : (
          <span className="dim">What would pass the cap is refused, however many requests come at once.</span>
        )}
      </Card>
      <Card title="4. Block it, and let it go on">
        {agent ? (
          <div className="filters" style={{ alignItems: 'center' }}>
            <StatusPill status={agent.status} />
            {change && <ChangeStatus agent={agent} to={agent.status === 'blocked' ? 'active' : 'blocked'} />}
            <span className="dim small">
              {agent.status === 'blocked'
                ? 'Run it again: the answer is 403, and it is listed among the refusals. Then unblock it.'
                : 'Its next request is refused, and what it has running ends within a second.'}
            </span>
            {!change && <ReadOnly />}
          </div>
        ) : (
          <span className="dim">Its next request is refused, and what it has running ends within a second.</span>
        )}
      </Card>
    </>
  );
}

function ReadOnly() {
  return (
    <span className="dim small">
      Whoever is signed in here may only look: sign in with a key that may change things.
    </span>
  );
}

function Waiting({ agent, agentName }: { agent: Agent | undefined; agentName: string }) {
  return (
    <div style={{ display: 'flex', gap: '0.75rem', alignItems: 'center' }}>
      <Loader size="sm" aria-hidden />
      <span>
        {agent ? (
          <>
            <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
              {agentName}
            </Link>{' '}
            is known
            {agent.last_seen_at && (
              <>
                {' '}
                since its request at <TimeStamp at={agent.last_seen_at} />
              </>
            )}
            . Waiting for its next event …
          </>
        ) : (
          <>Run the code. Waiting for the first event of {agentName} …</>
        )}
      </span>
    </div>
  );
}

function Arrived({ events }: { events: readonly StreamEvent[] }) {
  const [latest] = events;
  if (latest === undefined) return null;
  return (
    <div className="banner" data-tone="good">
      <div>
        <strong>It has arrived.</strong> {latest.model}, {formatCount(latest.prompt_tokens)} tokens in,{' '}
        {formatCount(latest.completion_tokens)} out, <Money usd={latest.cost_usd} /> at{' '}
        <TimeStamp at={latest.timestamp} />.{' '}
        <Link to="/events/$eventId" params={{ eventId: latest.id }}>
          Look at the event
        </Link>
        {events.length > 1 && ` (${events.length} so far)`}
      </div>
    </div>
  );
}
