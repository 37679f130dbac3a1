import { fromPublicId } from '@agp/core/ids';

/** A UUID that no agent has. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** The UUID of an agent that a list is asked for. A text that is no id matches no agent, so the list is empty. */
export function readAgentFilter(agentId: string | undefined): string | undefined {
  return agentId === undefined ? undefined : (fromPublicId('agt', agentId) ?? nobody);
}
