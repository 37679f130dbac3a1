import { type EventMessage, toEventText } from '@agp/core/events';
import type { AdmittedRequest, Answer, Metering, ProducerStamp } from './journey.ts';

const text = (value: string | null, max: number) => (value === null ? null : toEventText(value, max));

/** The `request` half of a recorded pair: what is known at ingress, without figures. */
export function buildRequestEvent(request: AdmittedRequest, stamp: ProducerStamp): EventMessage {
  const { head, agent, admission, sessionId, body } = request;
  const requestedModel = body.inspected?.requestedModel ?? null;
  return {
    ...stamp,
    id: head.requestEventId ?? head.eventId,
    session_id: sessionId,
    agent_id: agent.id,
    timestamp: new Date(head.timestamp).toISOString(),
    direction: 'request',
    model: toEventText(requestedModel || 'unknown', 256),
    provider: head.provider.id,
    prompt_tokens: 0,
    completion_tokens: 0,
    total_tokens: 0,
    cost_nano_usd: 0,
    compliance_tag: admission.complianceTag,
    pii_detected: false,
    pii_types: [],
    // A body that streams through has no digest before it has passed.
    request_sha256: body.inspected ? body.sha256() : null,
    response_sha256: null,
    method: toEventText(head.method, 32),
    path: toEventText(head.path, 2048),
    requested_model: text(requestedModel, 256),
    provider_request_id: null,
    source_ip: toEventText(head.sourceIp, 64),
    duration_ms: null,
    first_byte_ms: null,
    http_status: null,
    outcome: null,
    usage_source: 'none',
    price_version: null,
    pii_scan: 'none',
    counts_as_request: false,
  };
}

/** The event of a forwarded request, once it has ended (decisions.md section 2, what is recorded). */
export function buildEvent(
  request: AdmittedRequest,
  stamp: ProducerStamp,
  answer: Answer,
  metering: Metering,
): EventMessage {
  return {
    ...buildRequestEvent(request, stamp),
    id: request.head.eventId,
    direction: answer.status === null ? 'request' : 'response',
    model: toEventText(metering.model || 'unknown', 256),
    prompt_tokens: metering.promptTokens,
    completion_tokens: metering.completionTokens,
    total_tokens: metering.promptTokens + metering.completionTokens,
    cost_nano_usd: metering.costNanoUsd,
    request_sha256: request.body.sha256(),
    response_sha256: answer.sha256,
    provider_request_id: text(answer.providerRequestId, 256),
    duration_ms: Math.round(answer.durationMs),
    first_byte_ms: answer.firstByteMs === null ? null : Math.round(answer.firstByteMs),
    http_status: answer.status,
    outcome: metering.outcome,
    usage_source: metering.usageSource,
    price_version: metering.priceVersion,
    pii_detected: metering.piiTypes.length > 0,
    pii_types: [...metering.piiTypes],
    pii_scan: metering.piiScan,
    counts_as_request: true,
  };
}
