import type { Db } from '../../database.ts';

/** Records that a session was used, so that it does not count as idle. */
export async function touchConsoleSession(db: Db, id: string, usedAt: Date): Promise<void> {
  await db
    .updateTable('console_sessions')
    .set({ last_used_at: usedAt })
    .where('id', '=', id)
    .where('last_used_at', '<', usedAt)
    .execute();
}
