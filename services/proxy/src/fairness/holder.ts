import { toNetwork } from '@agp/runtime';
import type { Agent, Head } from '../journey.ts';

/** Whom something that all share is counted for. */
export interface Holder {
  /** UUID */
  agentId: string;
  /** The network that the request came from, where nothing but its own word says who the agent is; null with a token. */
  source: string | null;
}

/** Names cost nothing where they are believed, so those that come from one network have one share between them. */
export function toHolder(agent: Agent, head: Head): Holder {
  return { agentId: agent.uuid, source: agent.tokenId === null ? toNetwork(head.sourceIp) : null };
}
