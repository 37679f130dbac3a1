import type { UnrecordedRequest } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { RowOf } from '../../row-of.ts';
import { type Page, pageOfRequests, type RequestFilter } from '../pages/page-of-requests.ts';

/** A forwarded request whose event is not recorded. `agent_name` is null where the agent was never stored. */
export type UnrecordedRow = Omit<RowOf<UnrecordedRequest, 'noted_at'>, 'started_at' | 'reason'> & { reason: string };

const select = sql`
  SELECT event_id, agent_id, agents.name AS agent_name, session_id, provider, model, cost_usd, reason, noted_at
  FROM unrecorded_spend AS request LEFT JOIN agents ON agents.id = request.agent_id`;

/** One page, newest first. */
export async function listUnrecorded(db: Db, filter: RequestFilter, page: Page): Promise<UnrecordedRow[]> {
  const { rows } = await sql<UnrecordedRow>`${select} ${pageOfRequests(filter, page)}`.execute(db);
  return rows;
}

/** One request by the UUID of the event that it should have. */
export async function readUnrecorded(db: Db, eventId: string): Promise<UnrecordedRow | undefined> {
  const { rows } = await sql<UnrecordedRow>`${select} WHERE event_id = ${eventId}`.execute(db);
  return rows[0];
}
