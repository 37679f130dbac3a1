import { nanoToDecimal } from '@agp/core/money';
import type { Pool } from 'pg';

/** A call whose recorded figures are doubted. */
export interface DoubtfulUsage {
  /** UUID of the event that records it. */
  eventId: string;
  /** UUID */
  agentId: string;
  sessionId: string;
  provider: string;
  model: string;
  reason: string;
  claimedPromptTokens: number;
  claimedCompletionTokens: number;
  claimedCostNanoUsd: number;
  /** As recorded. */
  costNanoUsd: number;
  /** When the request came in, in milliseconds since 1970 UTC. */
  occurredAt: number;
}

/** Most rows of one agent and UTC day: further ones would add nothing but size. */
export const maxDoubtsOfDay = 1_000;

// Rows of this statement itself are not counted, so an agent may get a few more.
const text = `
  INSERT INTO doubtful_usage (
    event_id, agent_id, session_id, provider, model, reason, claimed_prompt_tokens, claimed_completion_tokens,
    claimed_cost_usd, cost_usd, occurred_at)
  SELECT * FROM unnest(
    $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::numeric[],
    $10::numeric[], $11::timestamptz[]
  ) AS doubt (
    event_id, agent_id, session_id, provider, model, reason, claimed_prompt_tokens, claimed_completion_tokens,
    claimed_cost_usd, cost_usd, occurred_at)
  WHERE (
    SELECT count(*) FROM (
      SELECT FROM doubtful_usage AS known WHERE known.agent_id = doubt.agent_id
        AND known.occurred_at >= date_trunc('day', doubt.occurred_at, 'UTC')
        AND known.occurred_at < date_trunc('day', doubt.occurred_at, 'UTC') + interval '1 day'
      LIMIT $12
    ) AS counted
  ) < $12
  ON CONFLICT (event_id) DO NOTHING`;

/** Adds doubted calls, up to a bound for each agent and day. Safe to call again with the same calls. */
export async function addDoubtfulUsage(pool: Pool, doubts: readonly DoubtfulUsage[]): Promise<void> {
  await pool.query({
    name: 'add-doubtful-usage',
    text,
    values: [
      doubts.map(({ eventId }) => eventId),
      doubts.map(({ agentId }) => agentId),
      doubts.map(({ sessionId }) => sessionId),
      doubts.map(({ provider }) => provider),
      doubts.map(({ model }) => model),
      doubts.map(({ reason }) => reason),
      doubts.map(({ claimedPromptTokens }) => claimedPromptTokens),
      doubts.map(({ claimedCompletionTokens }) => claimedCompletionTokens),
      doubts.map(({ claimedCostNanoUsd }) => nanoToDecimal(claimedCostNanoUsd)),
      doubts.map(({ costNanoUsd }) => nanoToDecimal(costNanoUsd)),
      doubts.map(({ occurredAt }) => new Date(occurredAt).toISOString()),
      maxDoubtsOfDay,
    ],
  });
}
