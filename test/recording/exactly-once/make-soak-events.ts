import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { EventMessage } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';

const models = ['gpt-5', 'gpt-5-mini', 'claude-opus-4-5', 'gemini-2.5-flash', 'text-embedding-3-small', 'modèle "x"\n'];
const agentCount = 12;
const sessionCount = 400;
const dayMs = 86_400_000;

/** A UUIDv7 of that millisecond (RFC 9562 section 5.7). */
function makeUuidAt(ms: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const decided = {
  decision: [{ action: 'observe' as const, policy: 'soak', rule: 'models', version: 1 }],
  ...{ policy_version: 1, tools: null, forwarded_sha256: null },
};

/** Events of several agents, models and hundreds of sessions, of today and yesterday, mixed as they would arrive. */
export function makeSoakEvents(count: number): EventMessage[] {
  const now = Date.now();
  const agents = Array.from({ length: agentCount }, () => toPublicId('agt', makeUuidAt(now)));
  const sessions = Array.from({ length: sessionCount }, () => `ses_${randomUUID()}`);
  const events: EventMessage[] = [];
  for (let index = 0; index < count; index += 1) {
    const uuid = makeUuidAt(now - (index % 2 === 0 ? dayMs : 0) + (index % 1_000));
    const session = (index * 7 + (index % 13)) % sessionCount;
    const model = models[index % models.length] as string;
    // Every tenth is the first half of a pair: it has no figures and does not count as a request.
    const opening = index % 10 === 9;
    const prompt = opening ? 0 : 200 + (index % 900);
    const completion = opening ? 0 : index % 401;
    events.push({
      id: toPublicId('evt', uuid),
      session_id: sessions[session] as string,
      agent_id: agents[session % agentCount] as string,
      timestamp: new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)).toISOString(),
      direction: opening ? 'request' : 'response',
      model,
      provider: 'openai',
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      // Odd figures: their sum is not exact in floating point.
      cost_nano_usd: opening ? 0 : 30_001 + index * 7,
      compliance_tag: 'soak',
      pii_detected: false,
      pii_types: [],
      request_sha256: createHash('sha256').update(uuid).digest('hex'),
      response_sha256: null,
      method: 'POST',
      path: '/v1/chat/completions',
      requested_model: model,
      provider_request_id: `req_${index}`,
      source_ip: '10.42.7.19',
      duration_ms: index % 5_000,
      first_byte_ms: index % 400,
      http_status: 200,
      outcome: 'completed',
      usage_source: 'provider',
      price_version: null,
      pii_scan: 'none',
      producer: 'soak',
      producer_seq: index,
      ...(index % 4 === 0 && decided),
      counts_as_request: !opening,
    });
  }
  return events;
}
