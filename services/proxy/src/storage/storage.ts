import { ApiError } from '@agp/core/errors';
import {
  type AdmissionKey,
  type AdmissionState,
  type AgentTokenOwner,
  addUnrecordedSpend,
  type BillClaim,
  claimBill,
  claimSessions,
  findAgentId,
  findAgentTokens,
  type NewAgent,
  type Pool,
  type RunningState,
  readAdmissions,
  readRunningStates,
  readSpend,
  readSpendWithRecorded,
  registerAgent,
  type SessionClaim,
  type Spend,
  type UnrecordedSpend,
} from '@agp/db';
import { coalesce } from './coalesce.ts';

/**
 * The reads and writes of Postgres that a request waits for. Each takes the time, on the monotonic clock in milliseconds,
 * at which it gives up, and rejects with `status_unavailable` then and for every failure of storage.
 */
export interface Storage {
  findAgentId(name: string, deadline: number): Promise<string | null>;
  /** By the hex digest of its secret; undefined where it was never issued, or is revoked. */
  findAgentToken(secretSha256: string, deadline: number): Promise<AgentTokenOwner | undefined>;
  /** @returns null where the name is claimed and no token was shown for it */
  registerAgent(agent: NewAgent, deadline: number): Promise<string | null>;
  /** Read for this request, never cached; undefined when the agent is gone. */
  readAdmission(key: AdmissionKey, deadline: number): Promise<AdmissionState | undefined>;
  /** @returns the agent that owns the session, after the claim */
  claimSession(claim: SessionClaim, deadline: number): Promise<string | undefined>;
  /** Whether this event carries the cost of what is billed once. */
  claimBill(claim: BillClaim, deadline: number): Promise<boolean>;
  /** What an agent and all agents spent on a day, read after the call; never cached. */
  readSpend(day: string, agentId: string, deadline: number): Promise<Spend>;
  /** @returns at least those of the events that are in the spend already */
  readSpendWithRecorded(look: SpendLook, deadline: number): Promise<Spend & { recorded: Set<string> }>;
  /** No request waits for these two; they reject as Postgres does. */
  addUnrecordedSpend(spend: UnrecordedSpend): Promise<void>;
  readRunningStates(agentIds: readonly string[]): Promise<RunningState>;
}

/** What an agent spent on a day, and which events are in it. */
export interface SpendLook {
  day: string;
  agentId: string;
  /** UUIDs */
  eventIds: readonly string[];
}

const nothing: Spend = { agentNanoUsd: 0, globalNanoUsd: 0 };

/** A request waits this long for storage altogether, so that it has its 503 within a second. */
export const storageWaitMs = 900;

/**
 * @param pool its statements must time out by themselves within about a second, or they would pile up behind a lock
 * @param onFailure told why storage failed; the agent is not
 */
export function createStorage(pool: Pool, onFailure: (cause: Error) => void): Storage {
  const unavailable = () => new ApiError('status_unavailable');

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

  // Unknown names are few, but their requests may come by the hundred: one query for each.
  const findAgent = coalesce(
    async (names: string[]) =>
      new Map(await Promise.all(names.map(async (name) => [name, await findAgentId(pool, name)] as const))),
  );
  // Those that guess tokens make no more queries than one at a time.
  const findToken = coalesce((digests: string[]) => findAgentTokens(pool, digests));
  const readAdmission = coalesce(async (keys: string[]) => {
    const pairs = keys.map((key): AdmissionKey => {
      const [agentId = '', tokenId, sessionId] = key.split(' ');
      return { agentId, tokenId: tokenId || null, sessionId: sessionId || null };
    });
    const states = await readAdmissions(pool, pairs);
    return new Map(pairs.flatMap((pair, at) => [[keys[at] ?? '', states.get(pair)]]));
  });
  const readSpends = coalesce(async (keys: string[]) => {
    // All of one day but around midnight.
    const byDay = Map.groupBy(keys, (key) => key.slice(0, 10));
    const spends = new Map<string, Spend>();
    for (const [day, ofDay] of byDay) {
      const read = await readSpend(
        pool,
        day,
        ofDay.map((key) => key.slice(11)),
      );
      for (const [agentId, spend] of read) spends.set(`${day} ${agentId}`, spend);
    }
    return spends;
  });
  const readCloser = coalesce(async (looks: SpendLook[]) => {
    const seen = new Map<SpendLook, Spend & { recorded: Set<string> }>();
    for (const [day, ofDay] of Map.groupBy(looks, (look) => look.day)) {
      const agentIds = new Set(ofDay.map(({ agentId }) => agentId));
      const eventIds = new Set(ofDay.flatMap((look) => look.eventIds));
      const { spends, recorded } = await readSpendWithRecorded(pool, day, [...agentIds], [...eventIds]);
      for (const look of ofDay) seen.set(look, { ...(spends.get(look.agentId) ?? nothing), recorded });
    }
    return seen;
  });
  const claim = coalesce(async (claims: SessionClaim[]) => {
    const owners = await claimSessions(pool, claims);
    return new Map(claims.map((wanted) => [wanted, owners.get(wanted.sessionId)]));
  });
  return {
    findAgentId: async (name, deadline) => (await inTime(findAgent(name), deadline)) ?? null,
    registerAgent: (agent, deadline) => inTime(registerAgent(pool, agent), deadline),
    findAgentToken: (digest, deadline) => inTime(findToken(digest), deadline),
    readAdmission: ({ agentId, tokenId, sessionId }, deadline) =>
      inTime(readAdmission(`${agentId} ${tokenId ?? ''} ${sessionId ?? ''}`), deadline),
    async readSpend(day, agentId, deadline) {
      const spend = await inTime(readSpends(`${day} ${agentId}`), deadline);
      return spend ?? nothing;
    },
    async readSpendWithRecorded(look, deadline) {
      const seen = await inTime(readCloser(look), deadline);
      return seen ?? { ...nothing, recorded: new Set() };
    },
    addUnrecordedSpend: async (spend) => void (await addUnrecordedSpend(pool, [spend])),
    readRunningStates: (agentIds) => readRunningStates(pool, agentIds),
    claimBill: (wanted, deadline) => inTime(claimBill(pool, wanted), deadline),
    claimSession: (wanted, deadline) => inTime(claim(wanted), deadline),
  };
}
