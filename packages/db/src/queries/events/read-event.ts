import type { Db } from '../../database.ts';
import { type EventRow, eventColumns } from './event-columns.ts';

/** One event by its UUID. */
export function readEvent(db: Db, id: string): Promise<EventRow | undefined> {
  return db.selectFrom('events').select(eventColumns).where('id', '=', id).executeTakeFirst();
}
