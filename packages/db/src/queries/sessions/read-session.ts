import type { Db } from '../../database.ts';
import { type SessionRow, selectSessions } from './session-columns.ts';

/** One session by its id, if anything was recorded in it. */
export function readSession(db: Db, id: string): Promise<SessionRow | undefined> {
  return selectSessions(db).where('sessions.id', '=', id).executeTakeFirst();
}
