import type { Db } from '../../database.ts';

/** Records that a key was used, unless some process has recorded a use within the minute before. */
export async function touchApiKey(db: Db, id: string, usedAt: Date): Promise<void> {
  const minuteBefore = new Date(usedAt.getTime() - 60_000);
  await db
    .updateTable('api_keys')
    .set({ last_used_at: usedAt })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', minuteBefore)]))
    .execute();
}
