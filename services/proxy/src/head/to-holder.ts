import { toNetwork } from '@agp/runtime';
import type { Holder } from '@agp/runtime/fairness';
import type { Agent, Head } from '../journey.ts';

/** Without a token anybody can invent names, so all agents without one of the same network share one share. */
export function toHolder(agent: Agent, head: Head): Holder {
  return { agentId: agent.uuid, source: agent.tokenId === null ? toNetwork(head.sourceIp) : null };
}
