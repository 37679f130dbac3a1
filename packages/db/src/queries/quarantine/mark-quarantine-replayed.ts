import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** Notes that a message is back in the stream. */
export async function markQuarantineReplayed(db: Db, id: number): Promise<void> {
  await db
    .updateTable('quarantine')
    .set({ replayed_at: sql<string>`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}
