import type { DoubtfulUsage } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { RowOf } from '../../row-of.ts';
import { type Page, pageOfRequests, type RequestFilter } from '../pages/page-of-requests.ts';

/** A call whose recorded figures are doubted; `agent_name` is null where the agent is gone. */
export type DoubtfulUsageRow = RowOf<DoubtfulUsage, 'started_at'>;

/** One page, newest first. */
export async function listDoubtfulUsage(db: Db, filter: RequestFilter, page: Page): Promise<DoubtfulUsageRow[]> {
  const { rows } = await sql<DoubtfulUsageRow>`
    SELECT event_id, agent_id, agents.name AS agent_name, session_id, provider, model, occurred_at AS started_at, reason,
      claimed_prompt_tokens, claimed_completion_tokens, claimed_cost_usd, cost_usd
    FROM doubtful_usage AS request LEFT JOIN agents ON agents.id = request.agent_id
    ${pageOfRequests(filter, page)}`.execute(db);
  return rows;
}
