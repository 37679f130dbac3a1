import type { Pool } from 'pg';

/** All issuers as they are at one version. */
export interface StoredIdentities {
  version: number;
  identities: { id: string; version: number; identity: unknown }[];
}

/** One statement, so that the issuers are just those of the version. */
export async function readIdentities(pool: Pool): Promise<StoredIdentities> {
  const { rows } = await pool.query<StoredIdentities>({
    name: 'read-identities',
    text: `SELECT identity_version AS version,
             (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'version', version, 'identity', identity)
                ORDER BY name COLLATE "C"), '[]') FROM identities) AS identities
           FROM control LIMIT 1`,
  });
  return rows[0] ?? { version: 0, identities: [] };
}
