import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** The key with this digest of its secret, unless it has expired. Never cached: a deleted key is gone at once. */
export function findApiKey(db: Db, secretSha256: Buffer): Promise<{ id: string; scopes: string[] } | undefined> {
  return db
    .selectFrom('api_keys')
    .select(['id', 'scopes'])
    .where('secret_sha256', '=', secretSha256)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`clock_timestamp()`)]))
    .executeTakeFirst();
}

/** Those of the keys, by UUID, that still exist and have not expired. */
export async function findValidKeys(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('id', 'in', ids)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`clock_timestamp()`)]))
    .execute();
  return new Set(rows.map((row) => row.id));
}
