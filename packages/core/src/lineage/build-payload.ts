import type { EventMessage } from '../events/event-message.ts';
import { nanoToUsd } from '../money.ts';

/**
 * The exact text that an event's lineage hash covers: RFC 8785 canonical JSON of the version 1 members, which never get more. With members
 * sorted by name `JSON.stringify` gives that form, in 5 µs an event; `canonicalize` takes 33. The event schema keeps out lone surrogates,
 * which have no canonical form.
 */
export function buildPayload(event: EventMessage, seq: number): string {
  return JSON.stringify({
    agent_id: event.agent_id,
    completion_tokens: event.completion_tokens,
    compliance_tag: event.compliance_tag,
    cost_usd: nanoToUsd(event.cost_nano_usd),
    direction: event.direction,
    duration_ms: event.duration_ms,
    first_byte_ms: event.first_byte_ms,
    http_status: event.http_status,
    id: event.id,
    method: event.method,
    model: event.model,
    outcome: event.outcome,
    path: event.path,
    pii_detected: event.pii_detected,
    pii_scan: event.pii_scan,
    pii_types: event.pii_types,
    price_version: event.price_version,
    producer: event.producer,
    producer_seq: event.producer_seq,
    prompt_tokens: event.prompt_tokens,
    provider: event.provider,
    provider_request_id: event.provider_request_id,
    request_sha256: event.request_sha256,
    requested_model: event.requested_model,
    response_sha256: event.response_sha256,
    seq,
    session_id: event.session_id,
    source_ip: event.source_ip,
    timestamp: event.timestamp,
    total_tokens: event.total_tokens,
    usage_source: event.usage_source,
    v: 1,
  });
}
