import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';

export interface NotedKey {
  provider: string;
  /** The first 8 hex digits of the key's SHA-256. */
  fingerprint: string;
  /** The variable that gave it, or the place in `PROVIDERS_FILE`. */
  source: string;
  isUsed: boolean;
}

/** Notes which keys a proxy has, and which of them it used since it last noted them. @param proxy its host's name */
export async function noteProviderKeys(pool: Pool, proxy: string, keys: readonly NotedKey[]): Promise<void> {
  await pool.query(
    `INSERT INTO provider_keys (provider, fingerprint, source, proxy, last_used_at)
     SELECT provider, fingerprint, max(source), $4, CASE WHEN bool_or(used) THEN clock_timestamp() END
     FROM unnest($1::text[], $2::text[], $3::text[], $5::boolean[]) AS keys (provider, fingerprint, source, used)
     GROUP BY provider, fingerprint ORDER BY provider, fingerprint
     ON CONFLICT (provider, fingerprint) DO UPDATE SET source = EXCLUDED.source, proxy = EXCLUDED.proxy,
       last_seen_at = EXCLUDED.last_seen_at, last_used_at = coalesce(EXCLUDED.last_used_at, provider_keys.last_used_at)`,
    [
      keys.map(({ provider }) => provider),
      keys.map(({ fingerprint }) => fingerprint),
      keys.map(({ source }) => source),
      proxy,
      keys.map(({ isUsed }) => isUsed),
    ],
  );
}

export interface ProviderKeyRow {
  provider: string;
  fingerprint: string;
  source: string;
  proxy: string;
  first_seen_at: Date;
  last_seen_at: Date;
  last_used_at: Date | null;
}

/** By provider, those that a proxy had last first. */
export async function listProviderKeys(db: Db, most: number): Promise<ProviderKeyRow[]> {
  const { rows } = await sql<ProviderKeyRow>`
    SELECT provider, fingerprint, source, proxy, first_seen_at, last_seen_at, last_used_at FROM (
      SELECT * FROM provider_keys ORDER BY last_seen_at DESC LIMIT ${most}
    ) AS latest ORDER BY provider, last_seen_at DESC, fingerprint`.execute(db);
  return rows;
}
