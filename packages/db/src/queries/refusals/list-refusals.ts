import type { Refusal } from '@agp/core/contracts';
import type { Db } from '../../database.ts';
import { firstIdAt, type RequestFilter } from '../pages/page-of-requests.ts';

export interface RefusalFilter extends RequestFilter {
  reason?: string | undefined;
  requestId?: string | undefined;
  /** Only those that come after this one in the list, by UUID. */
  cursor?: string | undefined;
}

/** A refused request; the id holds its time. */
export type RefusedRequestRow = Omit<Refusal, 'timestamp'>;

/** One page of the refused requests that are listed singly, newest first. */
export function listRefusals(db: Db, filter: RefusalFilter, limit: number): Promise<RefusedRequestRow[]> {
  let query = db
    .selectFrom('refused_requests as refused')
    .leftJoin('agents', 'agents.id', 'refused.agent_id')
    .select(['refused.id', 'refused.agent_id', 'agents.name as agent_name', 'refused.reason', 'refused.request_id'])
    .select(['refused.source_ip', 'refused.provider', 'refused.path']);
  if (filter.agentId !== undefined) query = query.where('refused.agent_id', '=', filter.agentId);
  if (filter.reason !== undefined) query = query.where('refused.reason', '=', filter.reason);
  if (filter.requestId !== undefined) query = query.where('refused.request_id', '=', filter.requestId);
  if (filter.from !== undefined) query = query.where('refused.id', '>=', firstIdAt(filter.from));
  if (filter.to !== undefined) query = query.where('refused.id', '<', firstIdAt(filter.to));
  if (filter.cursor !== undefined) query = query.where('refused.id', '<', filter.cursor);
  return query.orderBy('refused.id', 'desc').limit(limit).execute();
}
