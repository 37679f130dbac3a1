import type { Db } from '../../database.ts';
import { type ApiKeyRow, apiKeyColumns } from './create-api-key.ts';

/** All keys, expired ones too, oldest first. */
export function listApiKeys(db: Db): Promise<ApiKeyRow[]> {
  return db.selectFrom('api_keys').select(apiKeyColumns).orderBy('created_at').orderBy('id').execute();
}
