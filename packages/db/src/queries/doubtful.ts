import type { DoubtfulUsage } from '@agp/core/contracts';
import { nanoToDecimal } from '@agp/core/money';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import type { RowOf } from '../statements.ts';
import { type Page, pageOfRequests, type RequestFilter } from './pages.ts';

export interface FoundDoubt {
  eventId: string;
  agentId: string;
  sessionId: string;
  provider: string;
  model: string;
  reason: string;
  claimedPromptTokens: number;
  claimedCompletionTokens: number;
  claimedCostNanoUsd: number;
  costNanoUsd: number;
  occurredAt: number;
}

/** Further ones of one agent and UTC day would add nothing but size. */
const maxDoubtsOfDay = 1_000;

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

/** Up to a bound for each agent and day. Safe to call again with the same calls. */
export async function addDoubtfulUsage(pool: Pool, doubts: readonly FoundDoubt[]): Promise<void> {
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

type DoubtfulUsageRow = RowOf<DoubtfulUsage, 'started_at'>;

export async function listDoubtfulUsage(db: Db, filter: RequestFilter, page: Page): Promise<DoubtfulUsageRow[]> {
  const { rows } = await sql<DoubtfulUsageRow>`
    SELECT event_id, agent_id, agents.name AS agent_name, session_id, provider, model, occurred_at AS started_at, reason,
      claimed_prompt_tokens, claimed_completion_tokens, claimed_cost_usd, cost_usd,
      (SELECT event_id FROM claimed_bills
       WHERE provider = request.provider AND bill = request.event_id || ' ended') AS ended_by_event_id
    FROM doubtful_usage AS request LEFT JOIN agents ON agents.id = request.agent_id
    ${pageOfRequests(filter, page)}`.execute(db);
  return rows;
}

export interface BillClaim {
  provider: string;
  bill: string;
  eventId: string;
}

/** A claim whose event was never recorded is given up after this long: by then no queue holds it any more. */
const claimHolds = '1 day';

/** UUID of the event that claimed it; null if none did. */
export async function findClaim(pool: Pool, { provider, bill }: Omit<BillClaim, 'eventId'>): Promise<string | null> {
  const { rows } = await pool.query<{ event_id: string }>({
    name: 'find-claim',
    text: 'SELECT event_id FROM claimed_bills WHERE provider = $1 AND bill = $2',
    values: [provider, bill],
  });
  return rows[0]?.event_id ?? null;
}

/** True if this event carries the bill's cost; another gets it only if the first one's event was lost. */
export async function claimBill(pool: Pool, { provider, bill, eventId }: BillClaim): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'claim-bill',
    text: `INSERT INTO claimed_bills AS claimed (provider, bill, event_id)
           VALUES ($1, $2, $3)
           ON CONFLICT (provider, bill) DO UPDATE SET event_id = EXCLUDED.event_id, claimed_at = clock_timestamp()
           WHERE claimed.event_id = EXCLUDED.event_id
              OR (claimed.claimed_at < clock_timestamp() - $4::interval
                  AND NOT EXISTS (SELECT FROM events WHERE id = claimed.event_id))`,
    values: [provider, bill, eventId, claimHolds],
  });
  return rowCount === 1;
}
