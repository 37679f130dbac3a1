import { ApiError } from '@agp/core/errors';
import {
  type AgentStatus,
  type BillClaim,
  claimBill,
  claimSessions,
  findAgentId,
  type Pool,
  readAgentStatuses,
  registerAgent,
  type SessionClaim,
} from '@agp/db';
import { coalesce } from './coalesce.ts';

/**
 * The reads and writes of Postgres that a request waits for. Each takes the time, on the monotonic clock in milliseconds,
 * at which it gives up, and rejects with `status_unavailable` then and for every failure of storage.
 */
export interface Storage {
  findAgentId(name: string, deadline: number): Promise<string | null>;
  registerAgent(agent: { id: string; name: string; sourceIp: string }, deadline: number): Promise<string>;
  /** Read for this request, never cached; undefined when the agent is gone. */
  readStatus(agentId: string, deadline: number): Promise<AgentStatus | undefined>;
  /** @returns the agent that owns the session, after the claim */
  claimSession(claim: SessionClaim, deadline: number): Promise<string | undefined>;
  /** Whether this event carries the cost of what is billed once. */
  claimBill(claim: BillClaim, deadline: number): Promise<boolean>;
}

/** A request waits this long for storage altogether, so that it has its 503 within a second. */
export const storageWaitMs = 900;

/**
 * @param pool its statements must time out by themselves within about a second, or they would pile up behind a lock
 * @param onFailure told why storage failed; the agent is not
 */
export function createStorage(pool: Pool, onFailure: (cause: Error) => void): Storage {
  const unavailable = () => new ApiError('status_unavailable', undefined, { 'Retry-After': '1' });

  async function inTime<Result>(query: Promise<Result>, deadline: number): Promise<Result> {
    const late = Promise.withResolvers<never>();
    // One turn later: after a stall of this process, an answer that is there already still counts.
    const giveUp = () => setImmediate(() => late.reject(new Error('storage took too long')));
    const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()));
    try {
      return await Promise.race([query, late.promise]);
    } catch (cause) {
      onFailure(cause as Error);
      throw unavailable();
    } finally {
      clearTimeout(timer);
    }
  }

  const readStatus = coalesce((agentIds: string[]) => readAgentStatuses(pool, agentIds));
  const claim = coalesce(async (claims: SessionClaim[]) => {
    const owners = await claimSessions(pool, claims);
    return new Map(claims.map((wanted) => [wanted, owners.get(wanted.sessionId)]));
  });
  return {
    findAgentId: (name, deadline) => inTime(findAgentId(pool, name), deadline),
    registerAgent: (agent, deadline) => inTime(registerAgent(pool, agent), deadline),
    readStatus: (agentId, deadline) => inTime(readStatus(agentId), deadline),
    claimBill: (wanted, deadline) => inTime(claimBill(pool, wanted), deadline),
    claimSession: (wanted, deadline) => inTime(claim(wanted), deadline),
  };
}
