import { randomUUIDv7 } from 'node:crypto';
import { type EventMessage, eventMessageSchema } from '@agp/core/events';
import { firstUuidAt, toPublicId } from '@agp/core/ids';

/** A UUIDv7 of that millisecond. */
function makeUuidAt(ms: number): string {
  return firstUuidAt(ms).slice(0, 13) + randomUUIDv7().slice(13);
}

/** A valid event of an agent and a session, at a time, with whatever a test cares about. */
export function makeEvent(
  agentId: string,
  sessionId: string,
  timestamp: string,
  fields: Partial<EventMessage> = {},
): EventMessage {
  const prompt = fields.prompt_tokens ?? 10;
  const completion = fields.completion_tokens ?? 5;
  return eventMessageSchema.parse({
    id: toPublicId('evt', makeUuidAt(Date.parse(timestamp))),
    session_id: sessionId,
    agent_id: agentId,
    timestamp,
    direction: 'response',
    model: 'gpt-4o-mini',
    provider: 'openai',
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    cost_nano_usd: 1_500,
    compliance_tag: 'default',
    pii_detected: false,
    pii_types: [],
    request_sha256: null,
    response_sha256: null,
    method: 'POST',
    path: '/v1/chat/completions',
    requested_model: 'gpt-4o-mini',
    provider_request_id: null,
    source_ip: '10.0.0.9',
    duration_ms: 12,
    first_byte_ms: 8,
    http_status: 200,
    outcome: 'completed',
    usage_source: 'provider',
    price_version: null,
    pii_scan: 'none',
    producer: 'proxy-1',
    producer_seq: 0,
    counts_as_request: true,
    ...fields,
  });
}
