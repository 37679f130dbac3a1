import { createHash, randomUUIDv7 } from 'node:crypto';
import type { EventMessage } from '@agp/core/events';
import { firstUuidAt, fromPublicId, toPublicId } from '@agp/core/ids';
import { addDoubtfulUsage, addUnrecordedSpend, openDatabase, recordEvents } from '@agp/db';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const days = 9;

/** What an agent calls, and what one call costs, in nano-dollars. */
const habits: Record<string, { provider: string; model: string; tag: string; cost: number; calls: number }> = {
  'support-triage': { provider: 'demo', model: 'gpt-5-mini', tag: 'gdpr', cost: 1_840_000, calls: 5 },
  'release-notes': { provider: 'demo-anthropic', model: 'claude-sonnet-5', tag: 'default', cost: 9_630_000, calls: 2 },
  'contract-reader': { provider: 'demo-anthropic', model: 'claude-opus-5-5', tag: 'legal', cost: 31_200_000, calls: 2 },
  'warehouse-planner': { provider: 'demo', model: 'gpt-4o-mini', tag: 'default', cost: 412_000, calls: 4 },
};

/** A recordable event of a chat that was completed then. @param ms since 1970 */
function makePastEvent(ms: number) {
  const id = firstUuidAt(ms).slice(0, 13) + randomUUIDv7().slice(13);
  return {
    ...{ id: toPublicId('evt', id), timestamp: new Date(ms).toISOString(), direction: 'response' as const },
    ...{ pii_detected: false, pii_types: [], counts_as_request: true, outcome: 'completed' as const },
    ...{ request_sha256: createHash('sha256').update(id).digest('hex'), response_sha256: null },
    ...{ method: 'POST', path: '/v1/chat/completions', http_status: 200, provider_request_id: null },
    ...{ source_ip: '10.42.7.19', duration_ms: 1_843, first_byte_ms: 412, usage_source: 'provider' as const },
    ...{ price_version: 'demo', producer: 'demo', producer_seq: 0, policy_version: null, decision: null },
    forwarded_sha256: null,
  } satisfies Partial<EventMessage>;
}

/**
 * Records what agents did on the days before this one and in its first hours, as the writer records, and two calls whose cost is in doubt or
 * not recorded.
 *
 * @param agents ids by name
 */
export async function recordPastDays(databaseUrl: string, agents: ReadonlyMap<string, string>): Promise<void> {
  const now = Date.now();
  const today = Math.floor(now / dayMs) * dayMs;
  const events = Object.entries(habits).flatMap(([name, { provider, model, tag, cost, calls }], agent) =>
    Array.from({ length: days * calls }, (_, index) => {
      const day = Math.floor(index / calls);
      // Of this day only hours that are over.
      const at =
        today - day * dayMs + ((index % calls) * 3 + agent + 1) * hourMs + (agent + 1) * 977_000 + index * 61_000;
      const prompt = 400 + ((index * 37) % 900);
      return {
        ...makePastEvent(at),
        session_id: `ses_${createHash('sha256').update(`${name} ${day}`).digest('base64url').slice(0, 32)}`,
        agent_id: agents.get(name) ?? '',
        ...{ provider, model, requested_model: model, compliance_tag: tag, pii_scan: 'full' as const },
        ...{ prompt_tokens: prompt, completion_tokens: 160, total_tokens: prompt + 160 },
        cost_nano_usd: Math.round(cost * (1 + ((index * 13) % 7) / 10)),
        asked: {
          ...{ operations: ['chat.completions', 'chat'], models: [model], output_tokens: null },
          ...{ input_bytes: 4 * prompt, nano_usd: 2 * cost },
        },
        tools: { declared: [], called: [], more: 0 },
        ...(index % 11 === 3 && { pii_detected: true, pii_types: ['email'] }),
      };
    }),
  );
  const { pool, close } = openDatabase({
    url: databaseUrl,
    applicationName: 'demo',
    maxConnections: 1,
    pipeline: true,
  });
  try {
    await recordEvents(
      pool,
      events.filter(({ timestamp }) => Date.parse(timestamp) < now - hourMs / 2),
    );
    // Of yesterday: an alert of it would greet whoever looks at a product that works.
    const day = new Date(now - dayMs).toISOString().slice(0, 10);
    const call = { sessionId: 'ses_figures', provider: 'demo-anthropic', model: 'claude-sonnet-5' };
    const agentId = fromPublicId('agt', agents.get('release-notes') ?? '') ?? '';
    await addUnrecordedSpend(pool, [
      { eventId: randomUUIDv7(), agentId, day, costNanoUsd: 9_630_000, reason: 'ended_without_record', request: call },
    ]);
    await pool.query(`UPDATE unrecorded_spend SET noted_at = noted_at - interval '1 day'`);
    await addDoubtfulUsage(pool, [
      {
        ...{ ...call, eventId: randomUUIDv7(), agentId, reason: 'claim_too_large', occurredAt: now },
        ...{ claimedPromptTokens: 900_000, claimedCompletionTokens: 4_000, claimedCostNanoUsd: 2_760_000_000 },
        costNanoUsd: 41_000_000,
      },
    ]);
  } finally {
    await close();
  }
}
