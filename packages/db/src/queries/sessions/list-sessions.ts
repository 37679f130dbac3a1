import type { Db } from '../../database.ts';
import { type PageRange, readPages } from '../pages/read-pages.ts';
import { type SessionRow, selectSessions } from './session-columns.ts';

/** Sessions in pages, the latest start first, ties by id. */
export function listSessions(db: Db, range: PageRange): AsyncGenerator<SessionRow[]> {
  return readPages<SessionRow>(range, ({ after, limit, offset }) => {
    let query = selectSessions(db);
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
