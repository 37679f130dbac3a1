import type { Selectable } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';

export const apiKeyColumns = [
  'id',
  'name',
  'scopes',
  'created_at',
  'expires_at',
  'last_used_at',
  'previous_expires_at',
] as const;

/** `previous_expires_at` is until when the secret before the present one works; in the past, or null, where none does. */
export type ApiKeyRow = Pick<Selectable<Schema['api_keys']>, (typeof apiKeyColumns)[number]>;

export interface NewApiKey {
  id: string;
  name: string;
  secretSha256: Buffer;
  scopes: string[];
  expiresAt: Date | null;
}

/** Stores a key; of its secret only the digest. */
export function createApiKey(db: Db, key: NewApiKey): Promise<ApiKeyRow> {
  return db
    .insertInto('api_keys')
    .values({
      id: key.id,
      name: key.name,
      secret_sha256: key.secretSha256,
      scopes: key.scopes,
      expires_at: key.expiresAt,
    })
    .returning(apiKeyColumns)
    .executeTakeFirstOrThrow();
}
