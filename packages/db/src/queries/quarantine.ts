import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';

type QuarantinedMessage = Omit<Selectable<Schema['quarantine']>, 'bytes'> & { size: number };

export async function listQuarantined(db: Db): Promise<QuarantinedMessage[]> {
  return db
    .selectFrom('quarantine')
    .select(['id', 'message_id', 'received_at', 'code', 'reason', 'replayed_at'])
    .select(({ fn }) => fn<number>('octet_length', ['bytes']).as('size'))
    .orderBy('id')
    .execute();
}

export async function markQuarantineReplayed(db: Db, id: number): Promise<void> {
  await db
    .updateTable('quarantine')
    .set({ replayed_at: sql<string>`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}

interface UnrecordableMessage {
  messageId: string | null;
  code: string;
  reason: string;
  bytes: Uint8Array;
}

/** One that is redelivered meanwhile is set aside once. */
export async function quarantineMessages(db: Db, messages: readonly UnrecordableMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await db
    .insertInto('quarantine')
    .values(
      messages.map(({ messageId, code, reason, bytes }) => ({
        message_id: messageId,
        code,
        reason,
        bytes: Buffer.from(bytes),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function readQuarantined(
  db: Db,
  id: number,
): Promise<{ message_id: string | null; bytes: Uint8Array } | null> {
  const row = await db.selectFrom('quarantine').select(['message_id', 'bytes']).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}
