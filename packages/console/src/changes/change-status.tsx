import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/api-query.ts';
import { callApi } from '../api/call-api.ts';
import type { AgentStatus } from '../api/shapes.ts';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { countOf } from '../format/format-count.ts';

interface Props {
  agent: { id: string; name: string; status: AgentStatus };
  /** What the agent is to be. */
  to: AgentStatus;
  size?: 'xs' | 'sm';
}

const verbs: Record<AgentStatus, (from: AgentStatus) => string> = {
  blocked: () => 'Block',
  active: (from) => (from === 'blocked' ? 'Unblock' : 'Make active'),
  retired: () => 'Retire',
};

/** How many requests of an agent run at this moment, as far as that is known. */
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

function Consequence({ agent, to }: Pick<Props, 'agent' | 'to'>) {
  if (to === 'blocked')
    return (
      <>
        Its requests are refused with 403 from the next one on, and those that run end within a second.{' '}
        <RunningRequests id={agent.id} />
      </>
    );
  if (to === 'retired')
    return (
      <>
        It leaves the lists of active agents. <strong>Its requests are still served</strong>: block it to stop it. What
        it sends is shown as sent by a retired agent.
      </>
    );
  return <>Its requests are served again from the next one on, within its cap and its limit.</>;
}

/** A button that blocks, unblocks or retires an agent, and asks before. */
export function ChangeStatus({ agent, to, size = 'sm' }: Props) {
  const verb = verbs[to](agent.status);
  const { id } = agent;
  const isLoud = to === 'blocked' && size === 'sm';
  return (
    <ConfirmButton
      name={`${verb} ${agent.name}`}
      button={{ size, ...(isLoud && { variant: 'filled', color: 'red.9' }) }}
      title={`${verb} ${agent.name}?`}
      verb={verb}
      danger={to === 'blocked'}
      change={(reason) =>
        callApi('put', '/api/v1/agents/{id}', { params: { path: { id }, query: { reason } }, body: { status: to } })
      }
    >
      <Consequence agent={agent} to={to} />
    </ConfirmButton>
  );
}
