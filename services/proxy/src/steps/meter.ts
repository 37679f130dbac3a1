import type { CallMeter, Measurement } from '@agp/metering';
import { withoutRequests } from '@agp/reservations';
import { toDay } from '../budget/judge-budget.ts';
import { describeForwarded } from '../budget/send-forwarded.ts';
import type { Setup, Stores, Working } from '../context.ts';
import { type AdmittedRequest, type Answer, toHolder } from '../journey.ts';
import { openJudge } from '../policy/judge-answer.ts';

/** @throws ApiError `share_used_up`, `proxy_overloaded` if a policy would hold its answer, and there is no room */
export function openMeter(context: Setup & Stores & Working, request: AdmittedRequest): CallMeter {
  const { config, metering, storage, budget } = context;
  const { head, agent, body, reservation } = request;
  return metering.open({
    head,
    holder: toHolder(agent, head),
    mayBeHeld:
      request.governed.data?.changesAnswer === true ||
      (head.operation?.answerNames !== undefined && openJudge(request) !== null),
    body: body.inspected,
    reservation,
    claimBill: (bill) => {
      const claim = { provider: head.provider.id, bill, eventId: reservation.eventId };
      return storage.claimBill(claim, performance.now() + config.storageTimeoutMs);
    },
    findClaim: (bill) =>
      storage.findClaim({ provider: head.provider.id, bill }, performance.now() + config.storageTimeoutMs),
    count: ({ costNanoUsd, heldNanoUsd, promptTokens, completionTokens }) => {
      const { eventId, budgets } = reservation;
      if (heldNanoUsd > 0) {
        const held = { eventId, agentId: agent.uuid, day: toDay(head.timestamp), nanoUsd: heldNanoUsd };
        budget.holdOn({ ...held, budgets: budgets && withoutRequests(budgets) }, describeForwarded(request));
      }
      return budget.amend(eventId, costNanoUsd, promptTokens + completionTokens);
    },
  });
}

/** The agent has all of the answer by now. */
export async function meter(
  context: Setup & Stores & Working,
  request: AdmittedRequest,
  meter: CallMeter,
  answer: Answer,
): Promise<Measurement> {
  const { head } = request;
  const measured = await meter.measure(answer);
  const { cancelPath, settledEventId } = measured;
  if (cancelPath !== null) context.background.add(request, cancelPath);
  if (settledEventId !== null) {
    context.budget.settle(settledEventId);
    context.background.end(settledEventId);
  }
  context.answeredModels.note(head.provider.id, measured);
  for (const model of measured.unpriced) context.reportUnpriced(head.provider.id, model);
  for (const unit of measured.unpricedUnits) context.metrics.unpricedUnits.inc({ provider: head.provider.id, unit });
  if (measured.unread.length > 0) context.reportUnread(head.provider.id, measured.unread);
  if (measured.isUnknownPath) context.metrics.unknownPaths.inc({ provider: head.provider.id });
  if (measured.unscanned !== null) {
    context.metrics.unscanned.inc({ reason: measured.unscanned });
    context.warnings.textUnscanned({ eventId: head.eventId, reason: measured.unscanned });
  }
  return measured;
}
