import type { Db } from '../../database.ts';

/** A quarantined message; null for an unknown id. */
export async function readQuarantined(
  db: Db,
  id: number,
): Promise<{ message_id: string | null; bytes: Uint8Array } | null> {
  const row = await db.selectFrom('quarantine').select(['message_id', 'bytes']).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}
