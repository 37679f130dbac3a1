import type { Db } from '../../database.ts';

/** A message that was set aside, without its bytes. */
export interface QuarantinedMessage {
  id: number;
  message_id: string | null;
  received_at: Date;
  code: string;
  reason: string;
  /** In bytes. */
  size: number;
  replayed_at: Date | null;
}

/** What was set aside, oldest first. */
export async function listQuarantined(db: Db): Promise<QuarantinedMessage[]> {
  return db
    .selectFrom('quarantine')
    .select(['id', 'message_id', 'received_at', 'code', 'reason', 'replayed_at'])
    .select(({ fn }) => fn<number>('octet_length', ['bytes']).as('size'))
    .orderBy('id')
    .execute();
}
