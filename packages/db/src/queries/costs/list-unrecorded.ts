import { firstUuidAt } from '@agp/core/ids';
import type { Db } from '../../database.ts';

export interface UnrecordedFilter {
  /** UUID */
  agentId?: string | undefined;
  /** Requests of this time or later. */
  from?: Date | undefined;
  /** Requests before this time. */
  to?: Date | undefined;
}

/** A forwarded request whose event is not recorded. */
export interface UnrecordedRow {
  event_id: string;
  agent_id: string;
  /** Null where the agent was never stored. */
  agent_name: string | null;
  session_id: string | null;
  provider: string | null;
  model: string | null;
  cost_usd: number;
  reason: string;
  /** Null for rows of versions that did not note it. */
  noted_at: Date | null;
}

const firstIdAt = (time: Date) => firstUuidAt(Math.max(0, time.getTime()));

/** One page, newest first: an id holds the millisecond in which its request came in. */
export function listUnrecorded(
  db: Db,
  filter: UnrecordedFilter,
  page: { limit: number; offset: number },
): Promise<UnrecordedRow[]> {
  let query = db
    .selectFrom('unrecorded_spend as spend')
    .leftJoin('agents', 'agents.id', 'spend.agent_id')
    .select([
      'spend.event_id',
      'spend.agent_id',
      'agents.name as agent_name',
      'spend.session_id',
      'spend.provider',
      'spend.model',
      'spend.cost_usd',
      'spend.reason',
      'spend.noted_at',
    ]);
  if (filter.agentId !== undefined) query = query.where('spend.agent_id', '=', filter.agentId);
  if (filter.from !== undefined) query = query.where('spend.event_id', '>=', firstIdAt(filter.from));
  if (filter.to !== undefined) query = query.where('spend.event_id', '<', firstIdAt(filter.to));
  return query.orderBy('spend.event_id', 'desc').limit(page.limit).offset(page.offset).execute();
}
