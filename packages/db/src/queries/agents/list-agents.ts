import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { readOldestFirst } from '../pages/read-oldest-first.ts';
import type { PageRange } from '../pages/read-pages.ts';
import { type AgentRow, agentColumns } from './agent-columns.ts';

/** An agent; what it used only where that was asked for. */
export interface ListedAgentRow extends AgentRow {
  /** UUID, which holds its time. */
  last_event_id?: string | null;
  cost_today_usd?: number;
  requests_today?: number;
}

const usageColumns = (day: string) =>
  [
    sql<string | null>`(SELECT seen.last_event_id FROM agent_last_seen AS seen WHERE seen.agent_id = agents.id)`.as(
      'last_event_id',
    ),
    ...(['cost_usd', 'request_count'] as const).map((name) =>
      sql<number>`(
        SELECT coalesce(sum(${sql.ref(name)}), 0)${sql.raw(name === 'cost_usd' ? '' : '::bigint')}
        FROM daily_usage WHERE day = ${day} AND daily_usage.agent_id = agents.id
      )`.as(name === 'cost_usd' ? 'cost_today_usd' : 'requests_today'),
    ),
  ] as const;

/**
 * All agents in pages, oldest first, or those of one status.
 *
 * @param usageOf the UTC day whose usage is added, `YYYY-MM-DD`; none if undefined
 */
export function listAgents(
  db: Db,
  { status }: { status?: AgentRow['status'] | undefined },
  range: PageRange,
  usageOf?: string,
): AsyncGenerator<ListedAgentRow[]> {
  const query = db
    .selectFrom('agents')
    .select(agentColumns)
    .$if(usageOf !== undefined, (asked) => asked.select([...usageColumns(usageOf ?? '')]));
  return readOldestFirst(range, status === undefined ? query : query.where('agents.status', '=', status));
}
