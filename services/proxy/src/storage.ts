import { ApiError } from '@agp/core/errors';
import {
  type AgentStatus,
  claimSessions,
  findAgentId,
  type Pool,
  readAgentStatuses,
  registerAgent,
  type SessionClaim,
} from '@agp/db';
import { coalesce } from './coalesce.ts';

/** The reads and writes of Postgres that a request waits for. Each rejects with `status_unavailable` in time. */
export interface Storage {
  findAgentId(name: string): Promise<string | null>;
  registerAgent(agent: { id: string; name: string; sourceIp: string }): Promise<string>;
  /** Read for this request, never cached; undefined when the agent is gone. */
  readStatus(agentId: string): Promise<AgentStatus | undefined>;
  /** @returns the agent that owns the session, after the claim */
  claimSession(claim: SessionClaim): Promise<string | undefined>;
}

/** Storage that does not answer is given up after this long, so that the caller has its 503 within a second. */
const deadlineMs = 900;

async function inTime<Result>(query: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const unavailable = () => new ApiError('status_unavailable', undefined, { 'Retry-After': '1' });
  const timer = setTimeout(() => late.reject(unavailable()), deadlineMs);
  try {
    return await Promise.race([query, late.promise]);
  } catch (error) {
    throw error instanceof ApiError ? error : Object.assign(unavailable(), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** @param pool its statements must time out by themselves within about a second, or they would pile up behind a lock */
export function createStorage(pool: Pool): Storage {
  const readStatus = coalesce((agentIds: string[]) => readAgentStatuses(pool, agentIds));
  const claim = coalesce(async (claims: SessionClaim[]) => {
    const owners = await claimSessions(pool, claims);
    return new Map(claims.map((wanted) => [wanted, owners.get(wanted.sessionId)]));
  });
  return {
    findAgentId: (name) => inTime(findAgentId(pool, name)),
    registerAgent: (agent) => inTime(registerAgent(pool, agent)),
    readStatus: (agentId) => inTime(readStatus(agentId)),
    claimSession: (wanted) => inTime(claim(wanted)),
  };
}
