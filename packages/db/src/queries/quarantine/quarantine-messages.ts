import type { Db } from '../../database.ts';

/** A message that can never be recorded, as it came. */
export interface UnrecordableMessage {
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
