import { toDay } from '../budget/judge-budget.ts';
import type { ProxyContext } from '../context.ts';
import {
  type Admission,
  type Agent,
  type Body,
  type Counted,
  findCaps,
  type Head,
  type Reservation,
} from '../journey.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';

/**
 * Takes the request's share of the day's budget and of the agent's minute.
 * @param counted a limit changed since then counts the request anew
 * @throws ApiError `cost_not_bounded`, `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_held`,
 *   `budget_unavailable`, `status_unavailable`
 */
export async function reserve(
  context: ProxyContext,
  head: Head,
  agent: Agent,
  admission: Admission,
  body: Body,
  counted: Counted,
  deadline: StorageDeadline,
): Promise<Reservation> {
  const { agentCap, globalCap, requestsPerMinute } = admission.limits;
  const { eventUuid: eventId } = head;
  const caps = findCaps(admission);
  const nanoUsd = context.metering.findReservation(head, body.inspected, caps);
  const warnings = await context.budget.reserve(
    {
      eventId,
      agentId: agent.uuid,
      day: toDay(head.timestamp),
      nanoUsd,
      agentCap,
      globalCap,
      requestsPerMinute: counted.againstRequestsPerMinute === requestsPerMinute ? null : requestsPerMinute,
    },
    deadline,
    () => context.metering.findCheaper(head, body.inspected, caps),
  );
  for (const cap of warnings) context.metrics.budgetWarnings.inc({ cap });
  return { eventId, nanoUsd, isCapped: caps.isCapped };
}
