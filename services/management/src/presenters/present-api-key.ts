import type { ApiKey, Scope } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { ApiKeyRow } from '@agp/db';

/** A key without its secret. */
export function presentApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: toPublicId('key', row.id),
    name: row.name,
    scopes: row.scopes as Scope[],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
