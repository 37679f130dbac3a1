import { bootstrapKeyName } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';
import { type ApiKeyRow, apiKeyColumns } from './create-api-key.ts';

export interface KeyRotation {
  /** UUID of the key. */
  id: string;
  /** Of the new secret. */
  secretSha256: Buffer;
  /** How long the old secret keeps working, in seconds. */
  overlapSeconds: number;
}

/**
 * Gives a key a new secret. The previous one keeps working for the overlap; an even older one, from a rotation whose overlap has not
 * ended, stops at once.
 */
export function rotateApiKey(
  db: Db,
  { id, secretSha256, overlapSeconds }: KeyRotation,
): Promise<{ before: ApiKeyRow; after: ApiKeyRow } | 'unknown' | 'bootstrap' | 'expired'> {
  return inTransaction(db, async (transaction) => {
    const before = await transaction
      .selectFrom('api_keys')
      .select(apiKeyColumns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) return 'unknown';
    if (before.name === bootstrapKeyName) return 'bootstrap';
    const hasOverlap = overlapSeconds > 0;
    const after = await transaction
      .updateTable('api_keys')
      .set({
        secret_sha256: secretSha256,
        previous_sha256: hasOverlap ? sql<Buffer>`secret_sha256` : null,
        previous_expires_at: hasOverlap
          ? sql<Date>`clock_timestamp() + make_interval(secs => ${overlapSeconds})`
          : null,
      })
      .where('id', '=', id)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`clock_timestamp()`)]))
      .returning(apiKeyColumns)
      .executeTakeFirst();
    return after === undefined ? 'expired' : { before, after };
  });
}
