import type { AgentToken, ClaimedName } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import { inTransaction, type RowOf } from '../statements.ts';
import { readOldestFirst, readPages } from './pages.ts';

export async function findAgentId(pool: Pool, name: string): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-agent-id',
    text: 'SELECT id FROM agents WHERE name = $1',
    values: [name],
  });
  return rows[0]?.id ?? null;
}

export interface NewAgent {
  id: string;
  name: string;
  sourceIp: string;
  /** UUID of the token that the request showed, which a claimed name requires. */
  tokenId: string | null;
}

/**
 * Registers an agent by its first request, with the default cap and limit, in one statement, so that they hold for that request already.
 * Requests that race for one name all get the row of the first. Null if the name is claimed and the request showed no valid token.
 */
export async function registerAgent(pool: Pool, agent: NewAgent): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'register-agent',
    text: `INSERT INTO agents (id, name, source_ip, daily_cap_usd, warn_only, requests_per_minute)
           SELECT $1, $2, $3, default_agent_cap_usd, default_warn_only, default_requests_per_minute FROM control
           WHERE CASE WHEN $4::uuid IS NULL THEN NOT EXISTS (SELECT FROM claimed_names WHERE name = $2)
             ELSE EXISTS (SELECT FROM agent_tokens WHERE id = $4 AND agent_name = $2
                            AND (expires_at IS NULL OR expires_at > clock_timestamp())) END
           ON CONFLICT (name) DO NOTHING RETURNING id`,
    values: [agent.id, agent.name, agent.sourceIp, agent.tokenId],
  });
  // A statement does not see a row that another transaction committed while it ran: the loser looks again.
  return rows[0]?.id ?? (await findAgentId(pool, agent.name));
}

/** Releases a claimed name without tokens, so that any agent may declare it again. Those that its workload exchanged go. */
export function releaseName(db: Db, name: string): Promise<'released' | 'unknown' | 'has_tokens' | 'of_workload'> {
  return inTransaction(db, async (transaction) => {
    const claimed = await transaction
      .selectFrom('claimed_names')
      .select('agent_id')
      .where('name', '=', name)
      .forUpdate()
      .executeTakeFirst();
    if (claimed === undefined) return 'unknown';
    // A separate statement, to see a token that was made while the first waited for the row.
    const token = await transaction
      .selectFrom('agent_tokens')
      .select('id')
      .where('agent_name', '=', name)
      .limit(1)
      .executeTakeFirst();
    if (token !== undefined) return 'has_tokens';
    // An adopted agent's own name: anybody who declared it would be the workload's agent.
    const adopted = await transaction
      .selectFrom('claimed_names')
      .innerJoin('agents', 'agents.id', 'claimed_names.agent_id')
      .select('agents.id')
      .where('agents.name', '=', name)
      .where('claimed_names.name', '!=', name)
      .executeTakeFirst();
    if (adopted !== undefined) return 'of_workload';
    await transaction.deleteFrom('claimed_names').where('name', '=', name).execute();
    const own = transaction.selectFrom('agents').select('name').where('id', '=', claimed.agent_id);
    await transaction
      .deleteFrom('exchanged_tokens')
      .where(({ eb }) => eb('agent_name', '=', claimed.agent_id === null ? name : own))
      .execute();
    return 'released';
  });
}

type ClaimedNameRow = RowOf<ClaimedName, 'claimed_at'>;

export function listClaimedNames(db: Db): AsyncGenerator<ClaimedNameRow[]> {
  return readPages<ClaimedNameRow>({ offset: 0 }, async ({ after, limit }) => {
    const { rows } = await sql<ClaimedNameRow>`
      SELECT name, claimed_at,
        (SELECT count(*) FROM agent_tokens WHERE agent_tokens.agent_name = claimed_names.name) AS token_count,
        CASE WHEN identity_id IS NOT NULL
          THEN coalesce((SELECT name FROM identities WHERE identities.id = identity_id), '') END AS identity
      FROM claimed_names WHERE ${after === undefined ? sql`true` : sql`name > ${after.name}`}
      ORDER BY name LIMIT ${limit}`.execute(db);
    return rows;
  });
}

type AgentTokenRow = RowOf<AgentToken, 'created_at' | 'expires_at'>;

const agentTokenColumns = [
  'id',
  'agent_name',
  sql<string | null>`NULL::text`.as('identity'),
  'created_at',
  'expires_at',
] as const;

interface NewAgentToken {
  id: string;
  agentName: string;
  secretSha256: Buffer;
  expiresAt: Date | null;
}

/** Stores a token with the digest of its secret only; from the same moment on its name is claimed. */
export function createAgentToken(db: Db, token: NewAgentToken): Promise<AgentTokenRow> {
  return inTransaction(db, async (transaction) => {
    // An update that changes nothing locks the row: a release of the name waits, and then sees the token.
    await transaction
      .insertInto('claimed_names')
      .values({ name: token.agentName })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ name: sql`excluded.name` }))
      .execute();
    const { id, agentName: agent_name, secretSha256: secret_sha256, expiresAt: expires_at } = token;
    return transaction
      .insertInto('agent_tokens')
      .values({ id, agent_name, secret_sha256, expires_at })
      .returning(agentTokenColumns)
      .executeTakeFirstOrThrow();
  });
}

const exchangedTokenColumns = [
  ...(['id', 'agent_name'] as const),
  sql<string | null>`(SELECT name FROM identities WHERE identities.id = identity_id)`.as('identity'),
  ...(['created_at', 'expires_at'] as const),
] as const;

/** One that a person made, or that was exchanged for a workload's. */
export async function deleteAgentToken(db: Db, id: string): Promise<AgentTokenRow | undefined> {
  return (
    (await db.deleteFrom('agent_tokens').where('id', '=', id).returning(agentTokenColumns).executeTakeFirst()) ??
    (await db.deleteFrom('exchanged_tokens').where('id', '=', id).returning(exchangedTokenColumns).executeTakeFirst())
  );
}

/** The owner of a token. It never changes, so it may be cached; whether the token still works must not be. */
export interface AgentTokenOwner {
  /** UUID of the token. */
  id: string;
  agentName: string;
}

/** Finds tokens by digests in hex, expired ones included. Revoked and unknown ones are missing. */
export async function findAgentTokens(pool: Pool, digests: readonly string[]): Promise<Map<string, AgentTokenOwner>> {
  const { rows } = await pool.query<{ id: string; agent_name: string; secret_sha256: Buffer }>({
    name: 'find-agent-tokens',
    text: `SELECT id, agent_name, secret_sha256 FROM agent_tokens WHERE secret_sha256 = ANY($1)
           UNION ALL SELECT id, agent_name, secret_sha256 FROM exchanged_tokens WHERE secret_sha256 = ANY($1)`,
    values: [digests.map((digest) => Buffer.from(digest, 'hex'))],
  });
  return new Map(rows.map((row) => [row.secret_sha256.toString('hex'), { id: row.id, agentName: row.agent_name }]));
}

export function listAgentTokens(db: Db): AsyncGenerator<AgentTokenRow[]> {
  const exchanged = db
    .selectFrom('exchanged_tokens')
    .select(exchangedTokenColumns)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`);
  const all = db.selectFrom('agent_tokens').select(agentTokenColumns).unionAll(exchanged);
  return readOldestFirst({ offset: 0 }, db.selectFrom(all.as('tokens')).selectAll() as never);
}
