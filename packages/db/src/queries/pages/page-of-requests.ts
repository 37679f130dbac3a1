import { firstUuidAt } from '@agp/core/ids';
import { type RawBuilder, sql } from 'kysely';

/** Which requests a list is about, by the columns `agent_id` and `event_id` of its table. */
export interface RequestFilter {
  /** UUID */
  agentId?: string | undefined;
  /** Requests of this time or later. */
  from?: Date | undefined;
  /** Requests before this time. */
  to?: Date | undefined;
}

export interface Page {
  limit: number;
  offset: number;
}

/** The smallest id of a time. No id is from before 1970. */
export const firstIdAt = (time: Date): string => firstUuidAt(Math.max(0, time.getTime()));

/** The end of a query over a table `request`, from WHERE on: one page, newest first. An id holds the millisecond of its request. */
export function pageOfRequests({ agentId, from, to }: RequestFilter, { limit, offset }: Page): RawBuilder<unknown> {
  const conditions = [
    ...(agentId === undefined ? [] : [sql`request.agent_id = ${agentId}`]),
    ...(from === undefined ? [] : [sql`request.event_id >= ${firstIdAt(from)}`]),
    ...(to === undefined ? [] : [sql`request.event_id < ${firstIdAt(to)}`]),
  ];
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  return sql`${where} ORDER BY request.event_id DESC LIMIT ${limit} OFFSET ${offset}`;
}
