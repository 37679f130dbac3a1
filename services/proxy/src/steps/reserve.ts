import { uuidOf } from '@agp/core/ids';
import type { DailyCap } from '@agp/db';
import { computeReservation } from '../budget/index.ts';
import { isCapped } from '../budget/is-capped.ts';
import { toDay } from '../budget/to-day.ts';
import type { ProxyContext } from '../context.ts';
import type { Admission, Agent, Body, Counted, Head, Reservation } from '../journey.ts';
import { storageWaitMs } from '../storage/storage.ts';

const isHeldTo = ({ capNanoUsd, warnOnly }: DailyCap) => capNanoUsd !== null && !warnOnly;

/**
 * Takes the request's share of the day's budget and of the agent's requests of this minute, the last check of all.
 *
 * @param counted what it was counted against already; a limit that was changed since then counts it anew
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
): Promise<Reservation> {
  const { agentCap, globalCap, requestsPerMinute } = admission.limits;
  const eventId = uuidOf('evt', head.eventId);
  const nanoUsd = computeReservation(context, head, body, isHeldTo(agentCap) || isHeldTo(globalCap));
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
    performance.now() + storageWaitMs,
  );
  for (const cap of warnings) context.metrics.budgetWarnings.inc({ cap });
  return { eventId, nanoUsd, isCapped: isCapped(admission) };
}
