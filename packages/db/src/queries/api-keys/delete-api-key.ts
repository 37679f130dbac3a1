import { bootstrapKeyName } from '@agp/core/contracts';
import type { Db } from '../../database.ts';
import { type ApiKeyRow, apiKeyColumns } from './create-api-key.ts';

/**
 * Deletes a key, but never the one that the configuration keeps: the next start of any replica would bring it back.
 *
 * @returns the key that is gone, or why none is
 */
export async function deleteApiKey(db: Db, id: string): Promise<ApiKeyRow | 'unknown' | 'bootstrap'> {
  const deleted = await db
    .deleteFrom('api_keys')
    .where('id', '=', id)
    .where('name', '<>', bootstrapKeyName)
    .returning(apiKeyColumns)
    .executeTakeFirst();
  if (deleted !== undefined) return deleted;
  const kept = await db.selectFrom('api_keys').select('id').where('id', '=', id).executeTakeFirst();
  return kept === undefined ? 'unknown' : 'bootstrap';
}
