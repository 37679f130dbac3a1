import type { AgentStatus } from '@agp/core/contracts';
import { countOf } from '@agp/core/explain';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/api.ts';
import { ConfirmButton } from '../components/confirm.tsx';
import { useBlockUntil } from './block-until.tsx';
import { type AgentChange, nameAgents, putEach, undone } from './each-agent.ts';

interface ChangeStatusProps {
  agents: readonly {
    id: string;
    name: string;
    status: AgentStatus;
    updated_at: string;
    blocked_until?: string | null;
  }[];
  /** What they are to be. */
  to: AgentStatus;
  size?: 'xs' | 'sm';
  onDone?: () => void;
}

const verbs: Record<AgentStatus, (from: AgentStatus | undefined) => string> = {
  blocked: () => 'Block',
  active: (from) => (from === 'retired' ? 'Make active' : 'Unblock'),
  retired: () => 'Retire',
};

function RunningRequests({ id }: { id: string }) {
  const { data, error } = useQuery({
    ...apiQuery('/api/v1/agents/{id}/overview', { path: { id } }),
    refetchInterval: 1_000,
    gcTime: 0,
  });
  const running = data?.data.running_requests;
  if (error || running === null) return <>How many run at this moment is not known.</>;
  if (running === undefined) return <>Counting its running requests …</>;
  return running === 0 ? (
    <>None of its requests runs at this moment.</>
  ) : (
    <strong>Ends {countOf(running, 'running request')}.</strong>
  );
}

function Consequence({ agents, to }: Pick<ChangeStatusProps, 'agents' | 'to'>) {
  const [first] = agents;
  const [whose, who, theirs] =
    agents.length > 1 ? ['Their', 'They leave', 'their caps'] : ['Its', 'It leaves', 'its cap'];
  if (to === 'blocked')
    return (
      <>
        {whose} requests are refused with 403 from the next one on, and running ones end within a second.{' '}
        {first !== undefined && agents.length === 1 && <RunningRequests id={first.id} />}
      </>
    );
  if (to === 'retired')
    return (
      <>
        {who} the lists of active agents. <strong>{whose} requests are still served</strong>: block it to stop it. What
        it sends is shown as sent by a retired agent.
      </>
    );
  return (
    <>
      {whose} requests are served again from the next one on, within {theirs} and limit.
    </>
  );
}

/** A button that blocks, unblocks or retires agents, and asks before. */
export function ChangeStatus({ agents, to, size = 'sm', onDone }: ChangeStatusProps) {
  const isLoud = to === 'blocked' && size === 'sm';
  const before = agents.map(({ status, blocked_until }) => ({ status, ...(blocked_until && { blocked_until }) }));
  const { fields, ready, end, reset } = useBlockUntil();
  return (
    <ConfirmButton
      onOpen={reset}
      at={size === 'sm' ? { blocked: 'block', active: 'unblock', retired: undefined }[to] : undefined}
      of={nameAgents(agents)}
      button={{ size, ...(isLoud && { variant: 'filled', color: 'red.9' }) }}
      verb={verbs[to](agents[0]?.status)}
      danger={to === 'blocked'}
      ready={to !== 'blocked' || ready}
      seen={agents.map(({ updated_at }) => updated_at)}
      change={(reason, seen) => {
        const until = to === 'blocked' && end !== undefined && { blocked_until: end };
        return putEach(agents, seen, reason, () => ({ status: to, ...until }));
      }}
      done={`${nameAgents(agents)} ${agents.length > 1 ? 'are' : 'is'} ${to}.`}
      undo={(seen) => putEach(agents, seen, undone, (at) => before[at] as AgentChange)}
      {...(onDone && { onDone })}
    >
      <Stack gap="sm">
        {agents.length > 1 && <div className="small dim">{agents.map(({ name }) => name).join(', ')}</div>}
        <div>
          <Consequence agents={agents} to={to} />
        </div>
        {to === 'blocked' && fields}
      </Stack>
    </ConfirmButton>
  );
}
