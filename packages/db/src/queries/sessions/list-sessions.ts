import type { Db } from '../../database.ts';
import { type PageRange, readPages } from '../pages/read-pages.ts';
import { type SessionRow, selectSessions } from './session-columns.ts';

/** A place in the list of sessions: the one at it is left out. */
export type SessionCursor = Pick<SessionRow, 'started_at' | 'id'>;

export interface SessionFilter {
  /** UUID */
  agentId?: string | undefined;
  /** Sessions that began at this time or later. */
  from?: Date | undefined;
  /** Sessions that began before this time. */
  to?: Date | undefined;
  /** Only sessions that come after this place in the list. */
  cursor?: SessionCursor | undefined;
}

/** Sessions in pages, the latest start first, ties by id. */
export function listSessions(
  db: Db,
  { agentId, from, to, cursor }: SessionFilter,
  range: PageRange,
): AsyncGenerator<SessionRow[]> {
  let filtered = selectSessions(db);
  if (agentId !== undefined) filtered = filtered.where('sessions.agent_id', '=', agentId);
  if (from !== undefined) filtered = filtered.where('sessions.started_at', '>=', from);
  if (to !== undefined) filtered = filtered.where('sessions.started_at', '<', to);
  return readPages<SessionRow>(range, ({ after: last, limit, offset }) => {
    const after = last ?? cursor;
    let query = filtered;
    if (after !== undefined) {
      // The first condition alone bounds the index scan; the second leaves out what was shown of the same moment.
      query = query
        .where('sessions.started_at', '<=', after.started_at)
        .where(({ eb, or }) =>
          or([eb('sessions.started_at', '<', after.started_at), eb('sessions.id', '>', after.id)]),
        );
    }
    return query.orderBy('sessions.started_at', 'desc').orderBy('sessions.id').limit(limit).offset(offset).execute();
  });
}
