import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@agp/core/errors';
import type { DailyCap } from '@agp/db';
import type { BudgetReservations, HeldReservation, Reservation, Reserved } from '@agp/reservations';
import { coalesce } from '../storage/coalesce.ts';
import type { Storage } from '../storage/storage.ts';
import { budgetExceeded, budgetHeld, rateLimited } from './budget-refusals.ts';
import { type CapScope, type CapVerdict, findRefusing, judgeCaps } from './judge-budget.ts';
import type { OwnReservations } from './own-reservations.ts';

/*
 * How a request gets its share of a budget that others want as well:
 *
 *   place -> read the spend -> fits ------------------------------------------> admitted
 *     ^            |
 *     |            +-> leave out what is recorded by now -> fits --------------> admitted
 *     |                          |          |
 *     |                          |          +-> spent ------------------------> refused
 *     |                          v
 *     +-- there is room -- take back, and look now and then -- 250 ms are over -> refused
 *
 * The place comes before the look at the spend: an event may then count twice for a moment, and never be missed.
 */

/** A request that asks for its share of the day's budget. */
export interface BudgetRequest extends Reservation {
  agentCap: DailyCap;
  globalCap: DailyCap;
  /** Null is no limit. */
  requestsPerMinute: number | null;
}

/** A cap that a request would have been refused for, had it been set to more than warn. */
export type BudgetWarning = CapScope;

/** A reservation that is placed, and where. */
type Placed = Reserved & { isShared: boolean };

/** A request that only others in flight keep out waits this long for one of them to end, in milliseconds. */
const waitForOthersMs = 250;
/** The first pause between two looks; each is twice as long as the one before. */
const lookAgainMs = 25;

export interface BudgetOptions {
  shared: BudgetReservations;
  storage: Storage;
  /** Refuses while Redis is away, rather than going on with what this process knows. */
  isStrict: boolean;
  /** Told when Redis fails. */
  onFailure: (error: Error) => void;
}

/** Lets a request in or refuses it; what it then holds stands in `own`, and in Redis where that answers. */
export type Admit = (request: BudgetRequest, deadline: number) => Promise<BudgetWarning[]>;

export function makeAdmit({
  shared,
  own,
  storage,
  isStrict,
  onFailure,
}: BudgetOptions & { own: OwnReservations }): Admit {
  const list = coalesce(async (keys: string[]) => {
    const lists = keys.map(async (key) => {
      const [day = '', agentId] = key.split(' ');
      return [key, await shared.list(day, agentId || null)] as const;
    });
    return new Map(await Promise.all(lists));
  });

  /** At the end of the order in Redis, or while that is away, of what this process knows. */
  async function place(request: BudgetRequest, limit: number | null): Promise<Placed> {
    own.add(request);
    let isShared = true;
    const placed = await shared.reserve(request, limit).catch((error: Error) => {
      onFailure(error);
      if (isStrict) throw new ApiError('budget_unavailable');
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

  /** Redis went away in between: what was seen until then stands. A failure of storage is one of the request. */
  function goOnWith(seen: CapVerdict[], error: Error): CapVerdict[] {
    if (error instanceof ApiError) throw error;
    onFailure(error);
    return seen;
  }

  /**
   * Looks until there is room, without holding any meanwhile: many that wait would keep each other out, and those for
   * whom there is room.
   */
  async function waitForRoom(request: BudgetRequest, isShared: boolean, giveUpAt: number, deadline: number) {
    for (let pauseMs = lookAgainMs; ; pauseMs *= 2) {
      if (performance.now() >= giveUpAt) throw budgetHeld();
      await sleep(pauseMs);
      const looking = lookCloser(request, isShared, Number.POSITIVE_INFINITY, deadline);
      const judged = await looking.catch((error) => goOnWith([], error));
      const refusing = findRefusing(judged);
      if (refusing?.verdict === 'spent') throw budgetExceeded(refusing.scope, request.day, Date.now());
      if (!refusing) return;
    }
  }

  return async (request, deadline) => {
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
        const seen = judged;
        const looking = lookCloser(request, placed.isShared, placed.seq, deadline);
        judged = await looking.catch((error) => goOnWith(seen, error));
      }
      const refusing = findRefusing(judged);
      if (!refusing) return judged.filter(({ verdict }) => verdict !== 'fits').map(({ scope }) => scope);
      if (refusing.verdict === 'spent') throw budgetExceeded(refusing.scope, request.day, Date.now());
      await takeBack(request);
      await waitForRoom(request, placed.isShared, giveUpAt, deadline);
    }
  };
}
