import { refuseShare } from '../body/body-memory.ts';
import type { Working } from '../context.ts';
import type { Agent } from '../identity/workload.ts';
import { type Head, type Place, toHolder } from '../journey.ts';

/**
 * Takes a place among the requests served at once; an agent that floods the proxy fills only its own share.
 * @throws ApiError `share_used_up`, `proxy_overloaded`
 */
export function takePlace({ places }: Working, head: Head, agent: Agent): Place {
  const holder = toHolder(agent, head);
  const full = places.take(holder, 1);
  if (full !== null) throw refuseShare(full, 'too many requests of this agent run at once');
  return { giveBack: () => places.giveBack(holder, 1) };
}
