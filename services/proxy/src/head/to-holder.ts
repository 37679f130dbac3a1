import { toNetwork } from '@agp/runtime';
import type { Holder } from '@agp/runtime/fairness';
import type { Agent, Head } from '../journey.ts';

/** Names cost nothing where they are believed, so those that come from one network have one share between them. */
export function toHolder(agent: Agent, head: Head): Holder {
  return { agentId: agent.uuid, source: agent.tokenId === null ? toNetwork(head.sourceIp) : null };
}
