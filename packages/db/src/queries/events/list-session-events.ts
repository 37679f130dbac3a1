import type { Db } from '../../database.ts';
import { readPages } from '../pages/read-pages.ts';
import { type EventExtras, type EventRow, eventColumns, nameOfAgent } from './event-columns.ts';

/**
 * A session's events in pages, in the order of their timestamps.
 *
 * @param length only so many links from the start of the chain, to match totals that were read before
 */
export function listSessionEvents(
  db: Db,
  sessionId: string,
  { length, withNames = false }: EventExtras & { length?: number } = {},
): AsyncGenerator<EventRow[]> {
  return readPages<EventRow>({ offset: 0 }, ({ after, limit }) => {
    let query = db
      .selectFrom('events')
      .select(eventColumns)
      .$if(withNames, (named) => named.select(nameOfAgent('events.agent_id')))
      .where('session_id', '=', sessionId);
    if (length !== undefined) query = query.where('seq', '<', length);
    if (after !== undefined) query = query.where('id', '>', after.id);
    return query.orderBy('id').limit(limit).execute();
  });
}
