import { type DailyCaps, toDailyCap } from '@agp/budgets';
import type { AgentStatus } from '@agp/core/contracts';
import type { Pool } from 'pg';

/** What a name is claimed by: an issuer, by its UUID, and the claims of one workload that make the name, as JSON. */
export interface Claim {
  name: string;
  identityId: string;
  workload: string;
}

export interface AdmissionKey {
  agentId: string;
  /** UUID of the token that the agent showed; null without one. */
  tokenId: string | null;
  /** Whose workload the agent is, by a verified token of an issuer; null without one. */
  claim: Claim | null;
  /** The session whose owner is also needed; null if it is known, or none is named. */
  sessionId: string | null;
}

/** Everything that admission depends on, as stored at this moment. */
export interface AdmissionState {
  status: AgentStatus;
  complianceTag: string | null;
  paused: boolean;
  /** The token exists for this agent's name and has not expired, or the claim has it; false if neither was shown. */
  tokenIsValid: boolean;
  /** A token was once issued for the agent's name, or a workload has it, so it can only be used with a valid one. */
  nameIsClaimed: boolean;
  sessionOwner: string | null;
  caps: DailyCaps;
  requestsPerMinute: number | null;
  /** Raised by each change of a policy; 0 until there is one. */
  policyVersion: number;
  /** The same of budgets. */
  budgetVersion: number;
  /** The same of issuers of workload identities. */
  identityVersion: number;
  metadata: Readonly<Record<string, unknown>>;
  /** When it came, on the monotonic clock in milliseconds. */
  readAt: number;
}

type Row = Omit<AdmissionState, 'caps' | 'readAt'> & {
  position: number;
  agentCap: number | null;
  agentWarnOnly: boolean;
  globalCap: number | null;
  globalWarnOnly: boolean;
};

// LIMIT tells the planner that `control` has one row; it assumes a thousand for a table that was never analysed. OFFSET 0 enforces one
// look-up: else all claimed names may be read for each request.
const text = `
  SELECT asked.position, agents.status, agents.metadata->>'compliance_tag' AS "complianceTag", control.paused,
    CASE WHEN asked.claim IS NOT NULL THEN EXISTS (
      SELECT FROM claimed_names
      WHERE name = asked.claim->>'name' AND identity_id = (asked.claim->>'identityId')::uuid
        AND workload = asked.claim->>'workload'
        AND coalesce(agent_id = agents.id, name = agents.name) OFFSET 0
    ) WHEN asked.token_id IS NOT NULL THEN EXISTS (
      SELECT FROM agent_tokens
      WHERE id = asked.token_id AND agent_name = agents.name
        AND (expires_at IS NULL OR expires_at > clock_timestamp())
    ) OR EXISTS (
      SELECT FROM exchanged_tokens JOIN identities ON identities.id = identity_id AND identities.version = identity_version
      WHERE exchanged_tokens.id = asked.token_id AND agent_name = agents.name AND expires_at > clock_timestamp()
        AND identity_id IN ((SELECT identity_id FROM claimed_names WHERE claimed_names.name = agents.name),
                            (SELECT identity_id FROM claimed_names WHERE agent_id = agents.id LIMIT 1)) OFFSET 0
    ) ELSE false END AS "tokenIsValid",
    EXISTS (SELECT FROM claimed_names WHERE name = agents.name OFFSET 0) AS "nameIsClaimed",
    (SELECT agent_id FROM sessions WHERE id = asked.session_id) AS "sessionOwner",
    agents.daily_cap_usd * 1e9 AS "agentCap", agents.warn_only AS "agentWarnOnly",
    control.global_cap_usd * 1e9 AS "globalCap", control.global_warn_only AS "globalWarnOnly",
    agents.requests_per_minute AS "requestsPerMinute", control.policy_version AS "policyVersion",
    control.budget_version AS "budgetVersion", control.identity_version AS "identityVersion",
    agents.metadata
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[])
    WITH ORDINALITY AS asked (agent_id, token_id, session_id, claim, position)
  JOIN agents ON agents.id = asked.agent_id
  CROSS JOIN (SELECT * FROM control LIMIT 1) AS control`;

/** Unknown agents are missing. Never cached: a block, a revoked token or a new cap holds from the next request on. */
export async function readAdmissions(
  pool: Pool,
  keys: readonly AdmissionKey[],
): Promise<Map<AdmissionKey, AdmissionState>> {
  const { rows } = await pool.query<Row>({
    name: 'read-admissions',
    text,
    values: [
      keys.map(({ agentId }) => agentId),
      keys.map(({ tokenId }) => tokenId),
      keys.map(({ sessionId }) => sessionId),
      keys.map(({ claim }) => claim && JSON.stringify(claim)),
    ],
  });
  const readAt = performance.now();
  const states = new Map<AdmissionKey, AdmissionState>();
  for (const { position, agentCap, agentWarnOnly, globalCap, globalWarnOnly, ...row } of rows) {
    const key = keys[position - 1];
    if (key === undefined) continue;
    states.set(key, {
      ...row,
      readAt,
      caps: [toDailyCap('agent', agentCap, agentWarnOnly), toDailyCap('global', globalCap, globalWarnOnly)],
    });
  }
  return states;
}

export interface RunningState {
  paused: boolean;
  blocked: Set<string>;
  /** Raised by each change of a policy; 0 until there is one. */
  policyVersion: number;
}

export async function readRunningStates(pool: Pool, agentIds: readonly string[]): Promise<RunningState> {
  const { rows } = await pool.query<{ paused: boolean; id: string | null; policyVersion: number }>({
    name: 'read-running-states',
    text: `SELECT control.paused, control.policy_version AS "policyVersion", agents.id FROM control
           LEFT JOIN agents ON agents.id = ANY($1) AND agents.status = 'blocked'`,
    values: [agentIds],
  });
  return {
    paused: rows[0]?.paused ?? false,
    policyVersion: rows[0]?.policyVersion ?? 0,
    blocked: new Set(rows.flatMap(({ id }) => (id === null ? [] : [id]))),
  };
}
