import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@agp/core/errors';
import type { DailyCap } from '@agp/db';
import type { BudgetReservations, HeldReservation, Reservation, Reserved } from '@agp/reservations';
import { coalesce } from '../coalesce.ts';
import type { Storage } from '../storage.ts';
import { budgetExceeded, budgetHeld, rateLimited } from './budget-refusals.ts';
import { type CapScope, findRefusing, judgeCaps } from './judge-budget.ts';
import { OwnReservations } from './own-reservations.ts';

/** A request that asks for its share of the day's budget. */
export interface BudgetRequest extends Reservation {
  agentCap: DailyCap;
  globalCap: DailyCap;
  /** Null is no limit. */
  requestsPerMinute: number | null;
}

/** A cap that a request would have been refused for, had it been set to more than warn. */
export type BudgetWarning = CapScope;

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
  /** Tells Redis of all that this process holds: it may have forgotten, or never heard. */
  renew(): void;
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

/** A reservation that is placed, and where. */
type Placed = Reserved & { isShared: boolean };

/** A request that only others in flight keep out waits this long for one of them to end, in milliseconds. */
const waitForOthersMs = 250;
/** The first pause between two looks; each is twice as long as the one before. */
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
  const renew = () => {
    const held = own.listUnconfirmed(Date.now());
    if (held.length > 0) tell(shared.renew(held));
  };
  const renewing = setInterval(renew, renewEveryMs);
  const confirming = setInterval(() => {
    if (confirmed.length > 0) tell(shared.confirm(confirmed));
    confirmed = [];
  }, confirmEveryMs);

  const list = coalesce(async (keys: string[]) => {
    const lists = keys.map(async (key) => {
      const [day = '', agentId] = key.split(' ');
      return [key, await shared.list(day, agentId || null)] as const;
    });
    return new Map(await Promise.all(lists));
  });

  function giveBack(eventId: string): void {
    const held = own.remove(eventId);
    if (held) tell(shared.release([held]));
  }

  /** At the end of the order in Redis, or while that is away, of what this process knows. */
  async function place(request: BudgetRequest, limit: number | null): Promise<Placed> {
    own.add(request);
    let isShared = true;
    const placed = await shared.reserve(request, limit).catch((error: Error) => {
      onFailure(error);
      if (isStrict) throw new ApiError('budget_unavailable', undefined, { 'Retry-After': '1' });
      isShared = false;
      return own.reserve(request.eventId, limit, Date.now());
    });
    if ('seq' in placed) return { ...placed, isShared };
    throw rateLimited(limit ?? 0, placed.resetSeconds);
  }

  /**
   * Holds the caps against what is truly pending: reservations whose events are recorded by now would count twice.
   *
   * @param before the number of the request's own reservation: later ones do not count against it
   */
  async function lookCloser(request: BudgetRequest, isShared: boolean, before: number, deadline: number) {
    const scope = request.globalCap.capNanoUsd === null ? request.agentId : null;
    const held = isShared ? ((await list(`${request.day} ${scope ?? ''}`)) ?? []) : own.list(request.day, scope);
    const others = held.filter(({ eventId, seq }) => seq < before && eventId !== request.eventId);
    const { day, agentId } = request;
    const eventIds = others.map(({ eventId }) => eventId);
    const { recorded, ...spend } = await storage.readSpendWithRecorded({ day, agentId, eventIds }, deadline);
    const pending = others.filter(({ eventId }) => !recorded.has(eventId));
    const sum = (some: HeldReservation[]) => some.reduce((total, { nanoUsd }) => total + nanoUsd, 0);
    return judgeCaps(request, spend, {
      agent: sum(pending.filter((other) => other.agentId === agentId)),
      global: sum(pending),
    });
  }

  async function takeBack({ eventId }: BudgetRequest): Promise<void> {
    const held = own.remove(eventId);
    if (held) await shared.release([held]).catch(onFailure);
  }

  /**
   * Looks until there is room, without holding any meanwhile: many that wait would keep each other out, and those for
   * whom there is room.
   */
  async function waitForRoom(request: BudgetRequest, isShared: boolean, giveUpAt: number, deadline: number) {
    for (let pauseMs = lookAgainMs; ; pauseMs *= 2) {
      if (performance.now() >= giveUpAt) throw budgetHeld();
      await sleep(pauseMs);
      const judged = await lookCloser(request, isShared, Number.POSITIVE_INFINITY, deadline).catch((error: Error) => {
        if (error instanceof ApiError) throw error;
        onFailure(error);
        return [];
      });
      const refusing = findRefusing(judged);
      if (refusing?.verdict === 'spent') throw budgetExceeded(refusing.scope, request.day, Date.now());
      if (!refusing) return;
    }
  }

  async function admit(request: BudgetRequest, deadline: number): Promise<BudgetWarning[]> {
    let limit = request.requestsPerMinute;
    const giveUpAt = performance.now() + waitForOthersMs;
    for (;;) {
      const placed = await place(request, limit);
      // Counted once, however often the request looks again.
      limit = null;
      const spend = await storage.readSpend(request.day, request.agentId, deadline);
      const earlier = { agent: placed.agentEarlierNanoUsd, global: placed.globalEarlierNanoUsd };
      let judged = judgeCaps(request, spend, earlier);
      if (judged.some(({ verdict }) => verdict === 'held')) {
        judged = await lookCloser(request, placed.isShared, placed.seq, deadline).catch((error: Error) => {
          // Redis went away in between: what was seen until now stands.
          if (error instanceof ApiError) throw error;
          onFailure(error);
          return judged;
        });
      }
      const refusing = findRefusing(judged);
      if (!refusing) return judged.filter(({ verdict }) => verdict !== 'fits').map(({ scope }) => scope);
      if (refusing.verdict === 'spent') throw budgetExceeded(refusing.scope, request.day, Date.now());
      await takeBack(request);
      await waitForRoom(request, placed.isShared, giveUpAt, deadline);
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
      if (agentCap.capNanoUsd === null && globalCap.capNanoUsd === null && requestsPerMinute === null) {
        // Nothing can refuse it. It is told of all the same, for a cap that is set while it runs.
        own.add(request);
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
    renew,
    async stop() {
      clearInterval(renewing);
      clearInterval(confirming);
      stopping.abort();
      if (confirmed.length > 0) await shared.confirm(confirmed).catch(onFailure);
      await Promise.all(lost);
    },
  };
}
