import { createHash, randomUUIDv7 } from 'node:crypto';
import type { EventMessage } from '@agp/core/events';
import { firstUuidAt, toPublicId, uuidTime } from '@agp/core/ids';

const models = ['gpt-4o-mini', 'gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-flash'];
const embeddings = 'text-embedding-3-small';

/** A recordable event of now, as a proxy would publish it after a completed chat request. */
export function makeEvent(over: Partial<EventMessage> = {}): EventMessage {
  const uuid = randomUUIDv7();
  return {
    id: toPublicId('evt', uuid),
    session_id: toPublicId('ses', uuid),
    agent_id: toPublicId('agt', uuid),
    timestamp: new Date(uuidTime(uuid)).toISOString(),
    direction: 'response',
    model: 'gpt-4o-mini',
    provider: 'openai',
    prompt_tokens: 812,
    completion_tokens: 164,
    total_tokens: 976,
    cost_nano_usd: 220_200,
    compliance_tag: 'default',
    pii_detected: false,
    pii_types: [],
    request_sha256: createHash('sha256').update(uuid).digest('hex'),
    response_sha256: createHash('sha256').update(uuid).update('response').digest('hex'),
    method: 'POST',
    path: '/v1/chat/completions',
    requested_model: 'gpt-4o-mini',
    provider_request_id: `req_${uuid.replaceAll('-', '')}`,
    source_ip: '10.42.7.19',
    duration_ms: 1_843,
    first_byte_ms: 412,
    http_status: 200,
    outcome: 'completed',
    usage_source: 'provider',
    price_version: 'genai-prices 0.1.8',
    pii_scan: 'none',
    producer: 'proxy-7f9c4d5b8-x2x4z/1',
    producer_seq: 0,
    policy_version: null,
    decision: null,
    tools: null,
    forwarded_sha256: null,
    counts_as_request: true,
    ...over,
  };
}

/** The public id of an event of that time, in milliseconds. */
const makeEventIdAt = (ms: number) => toPublicId('evt', firstUuidAt(ms).slice(0, 13) + randomUUIDv7().slice(13));

/** A recordable event of that time, in milliseconds. */
export const makeEventAt = (ms: number, over: Partial<EventMessage> = {}) =>
  makeEvent({ id: makeEventIdAt(ms), timestamp: new Date(ms).toISOString(), ...over });

interface TrafficOptions {
  events: number;
  agents: number;
  /** Sessions that are under way at once. */
  sessions: number;
  /** After so many events a session ends and another begins. */
  eventsPerSession: number;
}

/** Events of many sessions, mixed as they would arrive. */
export function makeTraffic({ events, agents, sessions, eventsPerSession }: TrafficOptions): EventMessage[] {
  const agentIds = Array.from({ length: agents }, () => toPublicId('agt', randomUUIDv7()));
  const open = Array.from({ length: sessions }, (_, index) => ({
    id: toPublicId('ses', randomUUIDv7()),
    // Sessions are at different points when the traffic begins.
    left: 1 + (index % eventsPerSession),
    agent: agentIds[index % agents] as string,
  }));
  return Array.from({ length: events }, (_, index) => {
    const session = open[(index * 7 + ((index * index) % 13)) % sessions] as (typeof open)[number];
    if (session.left === 0) {
      session.id = toPublicId('ses', randomUUIDv7());
      session.left = eventsPerSession;
    }
    session.left -= 1;
    // An agent has a chat model, and makes embeddings now and then.
    const model = index % 8 === 0 ? embeddings : (models[agentIds.indexOf(session.agent) % models.length] as string);
    return makeEvent({
      session_id: session.id,
      agent_id: session.agent,
      model,
      requested_model: model,
      prompt_tokens: 200 + (index % 900),
      completion_tokens: index % 400,
      total_tokens: 200 + (index % 900) + (index % 400),
      cost_nano_usd: 30_000 + index,
      duration_ms: index % 4_000,
      http_status: index % 9 === 0 ? 429 : 200,
      producer_seq: index,
    });
  });
}
