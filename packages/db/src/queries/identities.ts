import pg, { type Pool } from 'pg';
import type { Claim } from './admission.ts';

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

export async function readIdentityVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ version: number }>({
    name: 'read-identity-version',
    text: 'SELECT identity_version AS version FROM control LIMIT 1',
  });
  return rows[0]?.version ?? 0;
}

export interface NewWorkload {
  id: string;
  name: string;
  sourceIp: string;
  metadata: Readonly<Record<string, string>>;
  claim: Claim;
  /** Of all issuers, by which it was judged. */
  identityVersion: number;
}

const uniqueViolation = '23505';

/**
 * Registers the agent of a workload, and claims its name, in one statement. Null if there is an agent of that name, if the name is another's,
 * or if issuers have changed: whoever comes second has nothing written.
 */
export async function registerWorkload(pool: Pool, workload: NewWorkload): Promise<string | null> {
  const { id, name, sourceIp, metadata, claim, identityVersion } = workload;
  try {
    const { rows } = await pool.query<{ id: string }>({
      name: 'register-workload',
      text: `WITH claimed AS (SELECT identity_id, workload FROM claimed_names WHERE name = $2),
             agent AS (
               INSERT INTO agents (id, name, source_ip, metadata, daily_cap_usd, warn_only, requests_per_minute)
               SELECT $1, $2, $3, $4, default_agent_cap_usd, default_warn_only, default_requests_per_minute FROM control
               WHERE identity_version = $7 AND NOT EXISTS (
                 SELECT FROM claimed WHERE (identity_id, workload) IS DISTINCT FROM ($5::uuid, $6::text))
               ON CONFLICT (name) DO NOTHING RETURNING id, name
             ), claim AS (
               INSERT INTO claimed_names (name, identity_id, workload)
               SELECT name, $5::uuid, $6::text FROM agent WHERE NOT EXISTS (SELECT FROM claimed)
             )
             SELECT id FROM agent`,
      values: [id, name, sourceIp, JSON.stringify(metadata), claim.identityId, claim.workload, identityVersion],
    });
    return rows[0]?.id ?? null;
  } catch (error) {
    // Somebody claimed the name while this ran, which undid it.
    if (error instanceof pg.DatabaseError && error.code === uniqueViolation) return null;
    throw error;
  }
}

/** Whose a name is. */
export interface NameOwner {
  /** Null for an agent that anybody may declare, and for a name of those with a token for it. */
  claim: Claim | null;
  isClaimed: boolean;
  /** The issuer's name; null if it was removed, or there is none. */
  issuer: string | null;
}

export async function findNameOwner(pool: Pool, name: string): Promise<NameOwner> {
  const { rows } = await pool.query<{ identity_id: string | null; workload: string; issuer: string | null }>({
    name: 'find-name-owner',
    text: `SELECT identity_id, workload, identities.name AS issuer FROM claimed_names
           LEFT JOIN identities ON identities.id = identity_id WHERE claimed_names.name = $1`,
    values: [name],
  });
  const [row] = rows;
  const { identity_id: identityId = null, workload = '', issuer = null } = row ?? {};
  return { claim: identityId === null ? null : { identityId, workload }, isClaimed: row !== undefined, issuer };
}

export interface NewExchangedToken {
  id: string;
  agentName: string;
  secretSha256: Buffer;
  identityId: string;
  /** The issuer's own, by which the token was judged. */
  issuerVersion: number;
  expiresAt: Date;
}

/** Stores a token if its issuer is what it was. Of an agent's tokens the oldest go, and some that have ended. @param most that an agent may have */
export async function addExchangedToken(pool: Pool, token: NewExchangedToken, most: number): Promise<boolean> {
  const { id, agentName, secretSha256, identityId, issuerVersion, expiresAt } = token;
  const { rows } = await pool.query({
    name: 'add-exchanged-token',
    text: `WITH gone AS (
             DELETE FROM exchanged_tokens WHERE id IN (
               SELECT id FROM exchanged_tokens WHERE expires_at < clock_timestamp() ORDER BY expires_at LIMIT 100
             ) OR agent_name = $2 AND id NOT IN (
               SELECT id FROM exchanged_tokens WHERE agent_name = $2 AND expires_at > clock_timestamp()
               ORDER BY id DESC LIMIT $7))
           INSERT INTO exchanged_tokens (id, agent_name, secret_sha256, identity_id, identity_version, expires_at)
           SELECT $1, $2, $3, identities.id, version, $6 FROM identities WHERE identities.id = $4 AND version = $5
           RETURNING id`,
    values: [id, agentName, secretSha256, identityId, issuerVersion, expiresAt, most - 1],
  });
  return rows.length > 0;
}
