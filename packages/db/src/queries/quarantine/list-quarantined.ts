import type { Selectable } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';

/** A message that was set aside, with its size in bytes in their place. */
export type QuarantinedMessage = Omit<Selectable<Schema['quarantine']>, 'bytes'> & { size: number };

/** All quarantined messages, oldest first. */
export async function listQuarantined(db: Db): Promise<QuarantinedMessage[]> {
  return db
    .selectFrom('quarantine')
    .select(['id', 'message_id', 'received_at', 'code', 'reason', 'replayed_at'])
    .select(({ fn }) => fn<number>('octet_length', ['bytes']).as('size'))
    .orderBy('id')
    .execute();
}
