import { firstUuidAt } from '@agp/core/ids';
import type { Db } from '../../database.ts';

export interface DoubtfulUsageFilter {
  /** UUID */
  agentId?: string | undefined;
  /** Requests of this time or later. */
  from?: Date | undefined;
  /** Requests before this time. */
  to?: Date | undefined;
}

export interface DoubtfulUsageRow {
  event_id: string;
  agent_id: string;
  /** Null where the agent is gone. */
  agent_name: string | null;
  session_id: string;
  provider: string;
  model: string;
  reason: string;
  claimed_prompt_tokens: number;
  claimed_completion_tokens: number;
  claimed_cost_usd: number;
  cost_usd: number;
  occurred_at: Date;
}

const firstIdAt = (time: Date) => firstUuidAt(Math.max(0, time.getTime()));

/** One page, newest first: an id holds the millisecond in which its request came in. */
export function listDoubtfulUsage(
  db: Db,
  filter: DoubtfulUsageFilter,
  page: { limit: number; offset: number },
): Promise<DoubtfulUsageRow[]> {
  let query = db
    .selectFrom('doubtful_usage as doubt')
    .leftJoin('agents', 'agents.id', 'doubt.agent_id')
    .select([
      'doubt.event_id',
      'doubt.agent_id',
      'agents.name as agent_name',
      'doubt.session_id',
      'doubt.provider',
      'doubt.model',
      'doubt.reason',
      'doubt.claimed_prompt_tokens',
      'doubt.claimed_completion_tokens',
      'doubt.claimed_cost_usd',
      'doubt.cost_usd',
      'doubt.occurred_at',
    ]);
  if (filter.agentId !== undefined) query = query.where('doubt.agent_id', '=', filter.agentId);
  if (filter.from !== undefined) query = query.where('doubt.event_id', '>=', firstIdAt(filter.from));
  if (filter.to !== undefined) query = query.where('doubt.event_id', '<', firstIdAt(filter.to));
  return query.orderBy('doubt.event_id', 'desc').limit(page.limit).offset(page.offset).execute();
}
