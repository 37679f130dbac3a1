import { bootstrapKeyName } from '@agp/core/contracts';
import type { Db } from '../../database.ts';
import { type ApiKeyRow, apiKeyColumns } from './create-api-key.ts';

/**
 * Deletes a key, except the one from the configuration: the next start of any replica would bring it back.
 *
 * @returns the deleted key, or why none was deleted
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
