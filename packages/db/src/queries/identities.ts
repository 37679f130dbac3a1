import type { NameOwner } from '@agp/identities';
import pg, { type Pool } from 'pg';
import type { Db } from '../database.ts';
import { readRows, uniqueViolation } from '../statements.ts';
import type { Claim } from './admission.ts';

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

/** Whose a name is, and the agent that it is. Unlike names, which agents have one each, a workload may be an agent of another name. */
export async function findNameOwner(from: Db | Pool, name: string): Promise<NameOwner> {
  const [row] = await readRows<NameOwner & { agentId: string | null; agentName: string | null }>(
    from,
    'find-name-owner',
    `SELECT agents.id AS "agentId", agents.name AS "agentName", claimed.name IS NOT NULL AS "isClaimed",
       identity_id AS "identityId", identities.name AS issuer, workload
     FROM (SELECT $1::text AS name) AS asked
     LEFT JOIN claimed_names AS claimed ON claimed.name = asked.name
     LEFT JOIN agents ON agents.id = coalesce(claimed.agent_id, (SELECT id FROM agents WHERE agents.name = asked.name))
     LEFT JOIN identities ON identities.id = identity_id`,
    [name],
  );
  const { agentId: id = null, agentName, ...owner } = row as NonNullable<typeof row>;
  return { ...owner, agent: id === null ? null : { id, name: agentName ?? '' } };
}

/** An agent that was adopted is that of the workload which comes first. */
export async function fillWorkload(pool: Pool, { name, identityId, workload }: Claim): Promise<void> {
  await pool.query('UPDATE claimed_names SET workload = $3 WHERE name = $1 AND identity_id = $2 AND workload IS NULL', [
    name,
    identityId,
    workload,
  ]);
}

export interface NewExchangedToken {
  id: string;
  agentName: string;
  secretSha256: Buffer;
  claim: Claim;
  /** The issuer's own, by which the token was judged. */
  issuerVersion: number;
  expiresAt: Date;
}

/** Stores a token if its issuer and the claim of its agent's name are what they were. Some that have ended go. */
export async function addExchangedToken(pool: Pool, token: NewExchangedToken): Promise<boolean> {
  const { id, agentName, secretSha256, claim, issuerVersion, expiresAt } = token;
  const { rows } = await pool.query({
    name: 'add-exchanged-token',
    // now(), since an index serves no time that moves; an array, since the planner may join the whole table else.
    text: `WITH gone AS (
             DELETE FROM exchanged_tokens WHERE id = ANY (ARRAY(
               SELECT id FROM exchanged_tokens WHERE expires_at < now() ORDER BY expires_at LIMIT 100)))
           INSERT INTO exchanged_tokens (id, agent_name, secret_sha256, identity_id, identity_version, expires_at)
           SELECT $1, $2, $3, identities.id, version, $6 FROM identities WHERE identities.id = $4 AND version = $5
             AND EXISTS (SELECT FROM claimed_names WHERE name = $7 AND identity_id = $4 AND workload = $8)
           RETURNING id`,
    values: [id, agentName, secretSha256, claim.identityId, issuerVersion, expiresAt, claim.name, claim.workload],
  });
  return rows.length > 0;
}
