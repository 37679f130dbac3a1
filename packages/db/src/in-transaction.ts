import type { Db } from './database.ts';

/** Runs statements together: in the given transaction, or in a new one. */
export function inTransaction<Result>(db: Db, work: (transaction: Db) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
