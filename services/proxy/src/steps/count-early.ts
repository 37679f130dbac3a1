import { toDay } from '../budget/judge-budget.ts';
import type { Stores } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import type { Agent } from '../identity/workload.ts';
import type { Admission, Counted, Head } from '../journey.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';

const notCounted: Counted = { againstRequestsPerMinute: null };

/**
 * Checks the limits that need no body before a body is waited for; nothing if it is there already.
 * @throws ApiError `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_unavailable`,
 *   `status_unavailable`
 */
export async function countEarly(
  { budget }: Stores,
  { request }: Exchange,
  head: Head,
  agent: Agent,
  { limits: { caps, requestsPerMinute } }: Admission,
  deadline: StorageDeadline,
): Promise<Counted> {
  if (!head.hasBody || request.complete) return notCounted;
  await budget.checkEarly({ agentId: agent.uuid, day: toDay(head.timestamp), caps, requestsPerMinute }, deadline);
  return { againstRequestsPerMinute: requestsPerMinute };
}
