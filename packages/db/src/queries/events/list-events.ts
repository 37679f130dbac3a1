import type { Db } from '../../database.ts';
import { firstIdAt, type Page, type RequestFilter } from '../pages/page-of-requests.ts';
import { type EventRow, eventColumns } from './event-columns.ts';

export interface EventFilter extends RequestFilter {
  sessionId?: string | undefined;
  recordedAfter?: Date | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  complianceTag?: string | undefined;
  piiDetected?: boolean | undefined;
  /** Only events that come after this one in the list. */
  cursor?: string | undefined;
}

/**
 * One page of events, newest first. An id holds the millisecond of its event's timestamp, so times are ranges of the
 * primary key and order by id is order by timestamp.
 */
export function listEvents(db: Db, filter: EventFilter, page: Page): Promise<EventRow[]> {
  let query = db.selectFrom('events').select(eventColumns);
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId);
  if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
  if (filter.from !== undefined) query = query.where('id', '>=', firstIdAt(filter.from));
  if (filter.to !== undefined) query = query.where('id', '<', firstIdAt(filter.to));
  if (filter.cursor !== undefined) query = query.where('id', '<', filter.cursor);
  if (filter.recordedAfter !== undefined) query = query.where('recorded_at', '>', filter.recordedAfter);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.provider !== undefined) query = query.where('provider', '=', filter.provider);
  if (filter.complianceTag !== undefined) query = query.where('compliance_tag', '=', filter.complianceTag);
  if (filter.piiDetected !== undefined) query = query.where('pii_detected', '=', filter.piiDetected);
  return query.orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute();
}
