import type { Db } from './database.ts';

/** Runs statements that belong together: in the transaction that is given, or in one of their own. */
export function inTransaction<Result>(db: Db, work: (transaction: Db) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
