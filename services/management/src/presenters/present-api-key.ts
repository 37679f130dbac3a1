import type { ApiKey, Scope } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { ApiKeyRow } from '@agp/db';

/** A key without its secret. */
export function presentApiKey(row: ApiKeyRow): ApiKey {
  const { previous_expires_at: previousEnd } = row;
  const previousWorks = previousEnd !== null && previousEnd.getTime() > Date.now();
  return {
    id: toPublicId('key', row.id),
    name: row.name,
    scopes: row.scopes as Scope[],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    previous_secret_expires_at: previousWorks ? previousEnd.toISOString() : null,
  };
}
