import type { ApiKey, Scope } from '@agp/core/contracts';
import type { ApiKeyRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** A key without its secret. */
export function presentApiKey({ previous_expires_at: previousEnd, ...row }: ApiKeyRow): ApiKey {
  const previousWorks = previousEnd !== null && previousEnd.getTime() > Date.now();
  return {
    ...presentRow(row, 'key'),
    scopes: row.scopes as Scope[],
    previous_secret_expires_at: previousWorks ? previousEnd.toISOString() : null,
  };
}
