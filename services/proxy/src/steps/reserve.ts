import { type Charge, type Charges, findCharges } from '@agp/budgets';
import type { CallFacts } from '@agp/policy';
import { toDay } from '../budget/judge-budget.ts';
import type { ProxyContext } from '../context.ts';
import type { Agent } from '../identity/workload.ts';
import {
  type Admission,
  type Body,
  type ChosenSession,
  type Counted,
  findCaps,
  type Head,
  type Reservation,
} from '../journey.ts';
import { readCall } from '../policy/judge.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';

const none: readonly Charge[] = [];

/**
 * Takes the request's share of the day's caps, of all budgets that count it, and of the agent's minute.
 * @param facts what its rules read of it; null without rules @param counted a limit changed since then counts the request anew
 * @throws ApiError `cost_not_bounded`, `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_exceeded`,
 *   `budget_held`, `budget_unavailable`, `status_unavailable`
 */
export async function reserve(
  context: ProxyContext,
  head: Head,
  agent: Agent,
  admission: Admission,
  body: Body,
  facts: CallFacts | null,
  session: ChosenSession,
  counted: Counted,
  deadline: StorageDeadline,
): Promise<Reservation> {
  const { requestsPerMinute } = admission.limits;
  const { eventUuid: eventId } = head;
  const caps = findCaps(admission);
  let nanoUsd = context.metering.findReservation(head, body.inspected, caps);
  // Another region may be dearer.
  if (head.next !== null) {
    const atNext = context.metering.findReservation({ ...head, provider: head.next }, body.inspected, caps);
    nanoUsd = Math.max(nanoUsd, atNext);
  }
  const charges = listCharges(context, head, agent, admission, body, facts, session);
  const tokens = charges?.countsTokens ? context.metering.findTokens(head, body.inspected, caps) : 0;
  const budgets = charges && { scopes: charges.scopes, tokens };
  const warnings = await context.budget.reserve(
    {
      eventId,
      agentId: agent.uuid,
      day: toDay(head.timestamp),
      nanoUsd,
      budgets,
      charges: charges?.all ?? none,
      caps: admission.limits.caps,
      requestsPerMinute: counted.againstRequestsPerMinute === requestsPerMinute ? null : requestsPerMinute,
    },
    deadline,
    () => context.metering.findCheaper(head, body.inspected, caps),
  );
  const names: string[] = [];
  for (const { of } of warnings) {
    context.metrics.budgetWarnings.inc({ cap: of.kind });
    if (of.kind === 'budget') names.push(of.stored.budget.name);
  }
  return { eventId, nanoUsd, isCapped: caps.isCapped, budgets, warnings: names };
}

/** Undefined if no budget counts the request. */
function listCharges(
  context: Pick<ProxyContext, 'metering' | 'answeredModels'>,
  head: Head,
  agent: Agent,
  { budgets, complianceTag: tag }: Admission,
  { inspected }: Body,
  facts: CallFacts | null,
  { id: sessionId }: ChosenSession,
): Charges | undefined {
  if (budgets === null) return;
  const { set, labels } = budgets;
  const provider = head.provider.id;
  const asked = set.byModel ? (facts ?? readCall(context.metering, head, inspected)).models : null;
  const models = asked && [...new Set(asked.flatMap((name) => [name, ...context.answeredModels.find(provider, name)]))];
  const call = { agentId: agent.uuid, agent: agent.name, labels, tag, models };
  const charges = findCharges(set, { ...call, provider, sessionId }, head.timestamp);
  return charges.all.length === 0 ? undefined : charges;
}
