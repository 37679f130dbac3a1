import type { Db } from '../../database.ts';
import type { ConsoleSessionRow } from './find-console-sessions.ts';

/**
 * Ends a session for good.
 *
 * @param id UUID of the session
 * @returns the ended session; undefined where there is none
 */
export function endConsoleSession(db: Db, id: string): Promise<ConsoleSessionRow | undefined> {
  return db.deleteFrom('console_sessions').where('id', '=', id).returningAll().executeTakeFirst();
}
