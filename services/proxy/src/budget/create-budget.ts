import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@agp/core/errors';
import type { DailyCap } from '@agp/db';
import type { BudgetReservations, HeldReservation, Reservation, Reserved } from '@agp/reservations';
import type { Storage } from '../storage.ts';
import { type BudgetVerdict, judgeBudget } from './judge-budget.ts';
import { OwnReservations } from './own-reservations.ts';

/** A request that asks for its share of the day's budget. */
export interface BudgetRequest extends Reservation {
  agentCap: DailyCap;
  globalCap: DailyCap;
  /** Null is no limit. */
  requestsPerMinute: number | null;
}

/** A cap that a request would have been refused for, had it been set to more than warn. */
export type BudgetWarning = 'agent' | 'global';

/**
 * Reserves before a request is forwarded, so that no number of requests at once spends more than a cap allows, and
 * gives back what was not used (architecture.md, "no overspend under concurrency, no phantom refusal").
 */
export interface Budget {
  /**
   * @param deadline when storage is given up, on the monotonic clock in milliseconds
   * @returns the caps that would have refused, but only warn
   * @throws ApiError `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_held`,
   *   `budget_unavailable`, `status_unavailable`; nothing is reserved then
   */
  reserve(request: BudgetRequest, deadline: number): Promise<BudgetWarning[]>;
  /** The request was not forwarded: nothing will be spent. */
  release(eventId: string): void;
  /** JetStream has the event: the writer will release. */
  confirm(eventId: string): void;
  /** The event is lost: what it cost is kept beside the usage table, and then given back here. */
  lose(eventId: string, costNanoUsd: number): void;
  stop(): Promise<void>;
}

export interface BudgetOptions {
  shared: BudgetReservations;
  storage: Storage;
  /** Refuses while Redis is away, rather than going on with what this process knows. */
  isStrict: boolean;
  /** Told when Redis fails. */
  onFailure: (error: Error) => void;
}

/** A request that only others in flight keep out waits this long for one of them to end, in milliseconds. */
const waitForOthersMs = 250;
const lookAgainMs = 25;
const renewEveryMs = 10_000;
const confirmEveryMs = 100;
const retryLostMs = 1_000;

export function createBudget({ shared, storage, isStrict, onFailure }: BudgetOptions): Budget {
  const own = new OwnReservations();
  let confirmed: Reservation[] = [];
  const lost = new Set<Promise<void>>();
  const stopping = new AbortController();

  /** Redis is a convenience for whoever does not wait for its answer. */
  const tell = (work: Promise<unknown>) => void work.catch(onFailure);
  const renewing = setInterval(() => {
    const held = own.listUnconfirmed(Date.now());
    if (held.length > 0) tell(shared.renew(held));
  }, renewEveryMs);
  const confirming = setInterval(() => {
    if (confirmed.length > 0) tell(shared.confirm(confirmed));
    confirmed = [];
  }, confirmEveryMs);

  async function place(
    request: BudgetRequest,
    limit: number | null,
  ): Promise<{ reserved: Reserved; isShared: boolean }> {
    let isShared = true;
    const placed = await shared.reserve(request, limit).catch((error: Error) => {
      onFailure(error);
      if (isStrict) throw new ApiError('budget_unavailable', undefined, { 'Retry-After': '1' });
      isShared = false;
      return own.reserve(request.eventId, limit, Date.now());
    });
    if ('seq' in placed) return { reserved: placed, isShared };
    throw rateLimited(limit ?? 0, placed.resetSeconds);
  }

  /** Earlier reservations whose events are recorded by now were counted twice: they are left out. */
  async function lookCloser(request: BudgetRequest, reserved: Reserved, isShared: boolean, deadline: number) {
    const scope = request.globalCap.capNanoUsd === null ? request.agentId : null;
    const held = await (isShared ? shared.list(request.day, scope) : own.list(request.day, scope));
    const before = held.filter(({ seq }) => seq < reserved.seq);
    const ids = before.map(({ eventId }) => eventId);
    const { recorded, ...spend } = await storage.readSpendWithRecorded(request.day, request.agentId, ids, deadline);
    const pending = before.filter(({ eventId }) => !recorded.has(eventId));
    const sum = (some: HeldReservation[]) => some.reduce((total, { nanoUsd }) => total + nanoUsd, 0);
    return judge(request, spend, {
      agent: sum(pending.filter(({ agentId }) => agentId === request.agentId)),
      global: sum(pending),
    });
  }

  function giveBack(eventId: string): void {
    const held = own.remove(eventId);
    if (held) tell(shared.release([held]));
  }

  async function admit(request: BudgetRequest, deadline: number): Promise<BudgetWarning[]> {
    let limit = request.requestsPerMinute;
    const giveUpAt = performance.now() + waitForOthersMs;
    for (;;) {
      const { reserved, isShared } = await place(request, limit);
      // Counted once, however often the request looks again.
      limit = null;
      const spend = await storage.readSpend(request.day, request.agentId, deadline);
      const earlier = { agent: reserved.agentEarlierNanoUsd, global: reserved.globalEarlierNanoUsd };
      let judged = judge(request, spend, earlier);
      if (judged.some(({ verdict }) => verdict === 'held')) {
        judged = await lookCloser(request, reserved, isShared, deadline).catch((error: Error) => {
          // Redis went away in between: what was seen until now stands.
          if (error instanceof ApiError) throw error;
          onFailure(error);
          return judged;
        });
      }
      const refusing = judged.find(({ verdict, warnOnly }) => verdict !== 'fits' && !warnOnly);
      if (!refusing) return judged.filter(({ verdict }) => verdict !== 'fits').map(({ scope }) => scope);
      if (refusing.verdict === 'spent') throw exceeded(refusing.scope);
      if (performance.now() >= giveUpAt) throw new ApiError('budget_held', undefined, { 'Retry-After': '1' });
      if (isShared) await shared.release([request]).catch(onFailure);
      await sleep(lookAgainMs);
    }
  }

  async function keepLost(reservation: Reservation, costNanoUsd: number): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await storage.addUnrecordedSpend({ ...reservation, costNanoUsd });
        tell(shared.release([reservation]));
        return;
      } catch {
        await sleep(retryLostMs, undefined, { ref: false });
      }
    }
  }

  return {
    async reserve(request, deadline) {
      const { eventId, agentCap, globalCap, requestsPerMinute } = request;
      own.add(request);
      if (agentCap.capNanoUsd === null && globalCap.capNanoUsd === null && requestsPerMinute === null) {
        // Nothing can refuse it. It is told of all the same, for a cap that is set while it runs.
        tell(shared.reserve(request, null));
        return [];
      }
      try {
        return await admit(request, deadline);
      } catch (error) {
        giveBack(eventId);
        throw error;
      }
    },
    release: giveBack,
    confirm(eventId) {
      const held = own.confirm(eventId, Date.now());
      if (held) confirmed.push(held);
    },
    lose(eventId, costNanoUsd) {
      const held = own.remove(eventId);
      if (!held) return;
      const keeping = keepLost(held, costNanoUsd).finally(() => lost.delete(keeping));
      lost.add(keeping);
    },
    async stop() {
      clearInterval(renewing);
      clearInterval(confirming);
      stopping.abort();
      if (confirmed.length > 0) await shared.confirm(confirmed).catch(onFailure);
      await Promise.all(lost);
    },
  };
}

interface Judged {
  scope: BudgetWarning;
  verdict: BudgetVerdict;
  warnOnly: boolean;
}

function judge(
  { agentCap, globalCap, nanoUsd }: BudgetRequest,
  spend: { agentNanoUsd: number; globalNanoUsd: number },
  earlier: { agent: number; global: number },
): Judged[] {
  const ofAgent = { spent: spend.agentNanoUsd, earlier: earlier.agent, mine: nanoUsd };
  const ofAll = { spent: spend.globalNanoUsd, earlier: earlier.global, mine: nanoUsd };
  return [
    { scope: 'agent', verdict: judgeBudget(agentCap, ofAgent), warnOnly: agentCap.warnOnly },
    { scope: 'global', verdict: judgeBudget(globalCap, ofAll), warnOnly: globalCap.warnOnly },
  ];
}

function exceeded(scope: BudgetWarning): ApiError {
  const secondsLeft = Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1_000);
  return new ApiError(scope === 'agent' ? 'agent_budget_exceeded' : 'global_budget_exceeded', undefined, {
    'Retry-After': String(secondsLeft),
  });
}

function rateLimited(limit: number, resetSeconds: number): ApiError {
  return new ApiError('rate_limited', undefined, {
    'Retry-After': String(resetSeconds),
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': String(resetSeconds),
  });
}
