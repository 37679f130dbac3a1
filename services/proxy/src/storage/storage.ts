import type { Charge } from '@agp/budgets';
import type { Stop } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import {
  type AdmissionKey,
  addExchangedToken,
  addUnrecordedSpend,
  type BillClaim,
  type Claim,
  claimBill,
  claimSessions,
  type DocumentAt,
  type DocumentsAt,
  type ForwardedSpend,
  fillWorkload,
  findAgentId,
  findAgentTokens,
  findClaim,
  findNameOwner,
  findRecordedIds,
  keepForwarded,
  type NewAgent,
  type NewExchangedToken,
  type NewWorkload,
  type Pool,
  type ReadKind,
  readAdmissions,
  readBlocks,
  readDocumentsAt,
  readIdentityVersion,
  readOwnRefusals,
  readPause,
  readRunningStates,
  readSpend,
  readSpendWithRecorded,
  registerAgent,
  registerWorkload,
  type SessionClaim,
  type Spend,
  type UnrecordedSpend,
} from '@agp/db';
import { Bag, TimeoutError } from '@agp/runtime';
import { coalesce } from '@agp/runtime/fairness';

interface Waiter {
  at: number;
  giveUp(): void;
  leave?: () => void;
}

/** Milliseconds between looks at all that wait: one timer for all, since most are answered before it fires. */
const lookEveryMs = 20;

/** Rejects work that is not done in time with a TimeoutError, at most 20 ms late; the work goes on, but nobody waits for it. */
export class Deadlines {
  readonly #waiting = new Bag<Waiter>();
  #timer: NodeJS.Timeout | null = null;

  /** @param at on the monotonic clock, in milliseconds */
  wait<Value>(work: Promise<Value>, at: number): Promise<Value> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { at, giveUp: () => reject(new TimeoutError('storage took too long')) };
      const leave = this.#waiting.add(waiter);
      waiter.leave = leave;
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs);
      void work.then(resolve, reject).then(leave);
    });
  }

  #look(): void {
    const now = performance.now();
    for (const waiter of this.#waiting) {
      if (waiter.at > now) continue;
      waiter.leave?.();
      // One turn later, so that an answer which arrived while this process stalled still counts.
      setImmediate(waiter.giveUp);
    }
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

export type Storage = ReturnType<typeof createStorage>;

interface SpendAsk {
  day: string;
  agentId: string;
  charges: readonly Charge[];
  /** Names the charges. */
  budgets?: { scopes: string } | undefined;
}

interface CloserSpendAsk extends SpendAsk {
  eventIds: readonly string[];
}

/** A refusal waits no longer for who caused it, in milliseconds. */
const stopMs = 250;

const noDocuments: DocumentsAt<never> = { version: 0, rows: [] };
const nothing: Spend = [0, 0];
const noneUsed: readonly number[] = [];

const toUsed = (spend = nothing, used = noneUsed): readonly number[] => [...spend, ...used];

/** Those of several requests as one list, and what was read of it as theirs; one list of alike requests stays what it is. */
async function readTogether<Ask extends readonly Charge[], Value>(
  asks: readonly Ask[],
  read: (charges: readonly Charge[]) => Promise<Value & { used: readonly number[] }>,
): Promise<Value & { usedOf: ReadonlyMap<Ask, readonly number[]> }> {
  const lists = [...new Set(asks)];
  const [only] = lists;
  const found = await read(lists.length === 1 && only !== undefined ? only : lists.flat());
  const usedOf = new Map<Ask, readonly number[]>();
  let at = 0;
  for (const list of lists) {
    usedOf.set(list, lists.length === 1 ? found.used : found.used.slice(at, at + list.length));
    at += list.length;
  }
  return { ...found, usedOf };
}

/** All of one day, except around midnight. */
async function readByDay<Ask extends SpendAsk, Value>(
  asks: Ask[],
  read: (day: string, ofDay: Ask[]) => Promise<(ask: Ask) => Value>,
): Promise<Map<Ask, Value>> {
  const values = new Map<Ask, Value>();
  for (const [day, ofDay] of Map.groupBy(asks, (ask) => ask.day)) {
    const toValue = await read(day, ofDay);
    for (const ask of ofDay) values.set(ask, toValue(ask));
  }
  return values;
}

/**
 * Functions with a `deadline`, on the monotonic clock in milliseconds, reject with `status_unavailable` at that time and for every
 * failure of storage.
 * @param pool its statements must time out within about a second, or they would pile up behind a lock
 * @param writes the same for what is written: a disk that stalls holds these up, and no read waits behind them for a connection
 */
export function createStorage(pool: Pool, onFailure: (cause: Error) => void, writes: Pool = pool) {
  const deadlines = new Deadlines();

  async function inTime<Result>(query: Promise<Result>, deadline: number): Promise<Result> {
    try {
      return await deadlines.wait(query, deadline);
    } catch (cause) {
      onFailure(cause as Error);
      throw new ApiError('status_unavailable');
    }
  }

  // Hundreds of requests may bring the same new name at once: one query for each name.
  const findAgent = coalesce(
    async (names: string[]) =>
      new Map(await Promise.all(names.map(async (name) => [name, await findAgentId(pool, name)] as const))),
  );
  // Clients that guess tokens cause no more than one query at a time.
  const findToken = coalesce((digests: string[]) => findAgentTokens(pool, digests));
  const admissions = coalesce((keys: AdmissionKey[]) => readAdmissions(pool, keys), {
    keyOf: ({ agentId, tokenId, sessionId, claim }) =>
      `${agentId} ${tokenId} ${sessionId} ${claim?.identityId} ${claim?.workload} ${claim?.name}`,
  });
  const spends = coalesce(
    (asks: SpendAsk[]) =>
      readByDay(asks, async (day, ofDay) => {
        const agentIds = ofDay.map(({ agentId }) => agentId);
        const { spends, usedOf } = await readTogether(
          ofDay.map((ask) => ask.charges),
          (charges) => readSpend(pool, day, agentIds, charges),
        );
        return ({ agentId, charges }) => toUsed(spends.get(agentId), usedOf.get(charges));
      }),
    { keyOf: ({ day, agentId, budgets }) => `${day} ${agentId} ${budgets?.scopes}` },
  );
  const closerSpends = coalesce((asks: CloserSpendAsk[]) =>
    readByDay(asks, async (day, ofDay) => {
      const agentIds = new Set(ofDay.map(({ agentId }) => agentId));
      const eventIds = new Set(ofDay.flatMap((ask) => ask.eventIds));
      const { spends, recorded, usedOf } = await readTogether(
        ofDay.map((ask) => ask.charges),
        (charges) => readSpendWithRecorded(pool, day, [...agentIds], [...eventIds], charges),
      );
      return ({ agentId, charges }) => ({ recorded, used: toUsed(spends.get(agentId), usedOf.get(charges)) });
    }),
  );
  const sessionOwners = coalesce(async (claims: SessionClaim[]) => {
    const owners = await claimSessions(writes, claims);
    return new Map(claims.map((claim) => [claim, owners.get(claim.sessionId)]));
  });

  // Apart, so that one kind never waits for another.
  const readAll = <Kind extends ReadKind>(kind: Kind) =>
    coalesce(async (asks: null[]) => new Map([[asks[0] ?? null, await readDocumentsAt(pool, kind)]]));
  const documents = { policy: readAll('policy'), budget: readAll('budget'), identity: readAll('identity') };
  const identityVersion = coalesce(
    async (asks: null[]) => new Map([[asks[0] ?? null, await readIdentityVersion(pool)]]),
  );

  const forwarded = coalesce(async (spends: ForwardedSpend[]) => {
    await keepForwarded(writes, spends);
    return new Map<ForwardedSpend, void>();
  });

  // A full outbox loses each event: what that writes leaves the connections to admissions.
  const unrecorded = coalesce(async (spends: UnrecordedSpend[]) => {
    await addUnrecordedSpend(writes, spends);
    return new Map<UnrecordedSpend, void>();
  });

  // However many requests are refused, one such read runs at a time.
  const stops = coalesce(async (ids: (string | null)[]): Promise<Map<string | null, Stop | null>> => {
    const blocks = await readBlocks(
      pool,
      ids.filter((id) => id !== null),
    );
    return ids.includes(null) ? new Map([...blocks, [null, await readPause(pool)]]) : blocks;
  });

  return {
    /** Who blocked this agent, or paused all (null); null if that is not known, or not within a moment. */
    findStop: async (agentId: string | null): Promise<Stop | null> =>
      (await deadlines.wait(stops(agentId), performance.now() + stopMs).catch(() => null)) ?? null,
    findAgentId: async (name: string, deadline: number) => (await inTime(findAgent(name), deadline)) ?? null,
    /** By the hex digest of its secret; undefined for one that was never issued, or is revoked. */
    findAgentToken: (secretSha256: string, deadline: number) => inTime(findToken(secretSha256), deadline),
    /** Null if the name is claimed and no token was shown for it. */
    registerAgent: (agent: NewAgent, deadline: number) => inTime(registerAgent(writes, agent), deadline),
    registerWorkload: (workload: NewWorkload, deadline: number) => inTime(registerWorkload(writes, workload), deadline),
    fillWorkload: (claim: Claim, deadline: number) => inTime(fillWorkload(writes, claim), deadline),
    findNameOwner: (name: string, deadline: number) => inTime(findNameOwner(pool, name), deadline),
    addExchangedToken: (token: NewExchangedToken, deadline: number) =>
      inTime(addExchangedToken(writes, token), deadline),
    /** Read for this request, never cached; undefined when the agent is gone. */
    readAdmission: (key: AdmissionKey, deadline: number) => inTime(admissions(key), deadline),
    /** All documents of a kind and their version, read after this call begins. */
    readDocuments: async <Kind extends ReadKind>(kind: Kind, deadline: number) =>
      ((await inTime<DocumentsAt<unknown> | undefined>(documents[kind](null), deadline)) ?? noDocuments) as DocumentsAt<
        DocumentAt<Kind>
      >,
    readIdentityVersion: async (deadline: number) => (await inTime(identityVersion(null), deadline)) ?? 0,
    /** An agent's own refused requests, the latest first. */
    readRefusals: (agentId: string, limit: number, deadline: number) =>
      inTime(readOwnRefusals(pool, agentId, limit), deadline),
    claimSession: (claim: SessionClaim, deadline: number) => inTime(sessionOwners(claim), deadline),
    /** Whether this event pays for a job that is billed once. */
    claimBill: (claim: BillClaim, deadline: number) => inTime(claimBill(writes, claim), deadline),
    findClaim: (claim: Omit<BillClaim, 'eventId'>, deadline: number) => inTime(findClaim(pool, claim), deadline),
    /** What is used of both daily caps, then of budgets, in steps of their units: read after this call begins, never cached. */
    readUsed: async (ask: SpendAsk, deadline: number): Promise<readonly number[]> =>
      (await inTime(spends(ask), deadline)) ?? nothing,
    /** The same, and `recorded` has at least those events that it includes. */
    readUsedWithRecorded: async (ask: CloserSpendAsk, deadline: number) =>
      (await inTime(closerSpends(ask), deadline)) ?? { recorded: new Set<string>(), used: nothing },
    addUnrecordedSpend: (spend: UnrecordedSpend) => unrecorded(spend),
    /** No request waits for this. False if storage failed, which is reported. */
    keepForwarded: (spends: readonly ForwardedSpend[]): Promise<boolean> =>
      Promise.all(spends.map(forwarded)).then(
        () => true,
        (error) => {
          onFailure(error);
          return false;
        },
      ),
    /** UUIDs of the events that the spend includes. */
    findRecorded: (eventIds: readonly string[]) => findRecordedIds(pool, eventIds),
    readRunningStates: (agentIds: readonly string[]) => readRunningStates(pool, agentIds),
  };
}
