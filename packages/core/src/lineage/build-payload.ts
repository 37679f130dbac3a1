import type { EventMessage } from '../events/event-message.ts';
import type { EventTool, EventTools } from '../events/event-policy.ts';
import { nanoToUsd } from '../money.ts';
import { hashLink, type LineageHead } from './chain.ts';

/**
 * The exact text that an event's lineage hash covers: RFC 8785 canonical JSON of the members of version 1 or, with `policy_version`,
 * of version 2; neither ever gets more. With members sorted by name `JSON.stringify` gives that form, in 5 µs an event; `canonicalize` takes 33. The event schema keeps out lone surrogates,
 * which have no canonical form.
 */
export function buildPayload(event: EventMessage, seq: number): string {
  const isOf2 = event.policy_version !== undefined;
  // Undefined members are left out.
  const ofVersion2 = <Value>(value: Value) => (isOf2 ? (value ?? null) : undefined);
  return JSON.stringify({
    agent_id: event.agent_id,
    completion_tokens: event.completion_tokens,
    compliance_tag: event.compliance_tag,
    cost_usd: nanoToUsd(event.cost_nano_usd),
    decision: ofVersion2(
      event.decision?.map(({ action, policy, rule, version }) => ({ action, policy, rule, version })),
    ),
    direction: event.direction,
    duration_ms: event.duration_ms,
    first_byte_ms: event.first_byte_ms,
    forwarded_sha256: ofVersion2(event.forwarded_sha256),
    http_status: event.http_status,
    id: event.id,
    method: event.method,
    model: event.model,
    outcome: event.outcome,
    path: event.path,
    pii_detected: event.pii_detected,
    pii_scan: event.pii_scan,
    pii_types: event.pii_types,
    policy_version: ofVersion2(event.policy_version),
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
    tools: ofVersion2(event.tools && orderMembers(event.tools)),
    total_tokens: event.total_tokens,
    usage_source: event.usage_source,
    v: isOf2 ? 2 : 1,
  });
}

function orderMembers({ called, declared, more }: EventTools): EventTools {
  const order = (tools: EventTool[]) => tools.map(({ kind, names }) => ({ kind, names }));
  return { called: order(called), declared: declared && order(declared), more };
}

export interface LinkedEvent {
  event: EventMessage;
  seq: number;
  payload: string;
  lineageHash: string;
}

/** Gives an event the next place in its session's chain. */
export function link(head: LineageHead, event: EventMessage): LinkedEvent {
  const payload = buildPayload(event, head.length);
  return { event, seq: head.length, payload, lineageHash: hashLink(head.hash, payload) };
}

export function headAfter({ seq, lineageHash }: LinkedEvent): LineageHead {
  return { length: seq + 1, hash: lineageHash };
}
