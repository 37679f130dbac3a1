import type { Db } from '../../database.ts';
import { type PageRange, readPages } from '../events/read-pages.ts';

/** What an agent may use: USD a UTC day, and requests a minute; null is no cap or limit. */
export interface AgentLimitsRow {
  id: string;
  name: string;
  daily_cap_usd: number | null;
  warn_only: boolean;
  requests_per_minute: number | null;
  created_at: Date;
}

export const agentLimitsColumns = [
  'id',
  'name',
  'daily_cap_usd',
  'warn_only',
  'requests_per_minute',
  'created_at',
] as const;

/** The caps and limits of all agents in pages, retired ones too, oldest first, ties by id. */
export function listAgentLimits(db: Db, range: PageRange): AsyncGenerator<AgentLimitsRow[]> {
  return readPages<AgentLimitsRow>(range, ({ after, limit, offset }) => {
    let query = db
      .selectFrom('agents')
      .select(agentLimitsColumns)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .offset(offset);
    if (after !== undefined) {
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '>', tuple(after.created_at, after.id)),
      );
    }
    return query.execute();
  });
}
