import type { EventMessage } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { Measurement } from '@agp/metering';
import type { ProxyContext } from '../context.ts';
import type { AdmittedRequest } from '../journey.ts';

/** Counts and stores a call whose figures are doubtful. */
export function reportDoubt(
  { metrics, doubts }: ProxyContext,
  { head, agent }: AdmittedRequest,
  event: EventMessage,
  { doubt }: Measurement,
): void {
  if (doubt === null) return;
  metrics.doubtful.inc({ reason: doubt.reason });
  doubts.add({
    eventId: uuidOf('evt', event.id),
    agentId: agent.uuid,
    sessionId: event.session_id,
    provider: event.provider,
    model: event.model,
    reason: doubt.reason,
    claimedPromptTokens: doubt.promptTokens,
    claimedCompletionTokens: doubt.completionTokens,
    claimedCostNanoUsd: doubt.costNanoUsd,
    costNanoUsd: event.cost_nano_usd,
    occurredAt: head.timestamp,
  });
}
