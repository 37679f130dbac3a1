import type { Db } from '../../database.ts';

/** The bytes of a message that was set aside; null when there is none with this id. */
export async function readQuarantined(
  db: Db,
  id: number,
): Promise<{ message_id: string | null; bytes: Uint8Array } | null> {
  const row = await db.selectFrom('quarantine').select(['message_id', 'bytes']).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}
