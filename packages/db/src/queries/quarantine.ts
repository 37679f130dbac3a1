import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A message that was set aside, with its size in bytes in their place. */
type QuarantinedMessage = Omit<Selectable<Schema['quarantine']>, 'bytes'> & { size: number };

/** All quarantined messages, oldest first. */
export async function listQuarantined(db: Db): Promise<QuarantinedMessage[]> {
  return db
    .selectFrom('quarantine')
    .select(['id', 'message_id', 'received_at', 'code', 'reason', 'replayed_at'])
    .select(({ fn }) => fn<number>('octet_length', ['bytes']).as('size'))
    .orderBy('id')
    .execute();
}

/** Notes that a message is back in the stream. */
export async function markQuarantineReplayed(db: Db, id: number): Promise<void> {
  await db
    .updateTable('quarantine')
    .set({ replayed_at: sql<string>`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}

/** A message that can never be recorded, as it came. */
interface UnrecordableMessage {
  messageId: string | null;
  /** Why, for machines: a decoding error's code, or Postgres' SQLSTATE. */
  code: string;
  /** Why, for people. It may quote the message. */
  reason: string;
  bytes: Uint8Array;
}

/** Sets messages aside; one that is redelivered meanwhile is set aside once. */
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

/** A quarantined message; null for an unknown id. */
export async function readQuarantined(
  db: Db,
  id: number,
): Promise<{ message_id: string | null; bytes: Uint8Array } | null> {
  const row = await db.selectFrom('quarantine').select(['message_id', 'bytes']).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}
