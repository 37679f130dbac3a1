import { setTimeout as sleep } from 'node:timers/promises';
import { type Charge, type DailyCaps, isCapped } from '@agp/budgets';
import { ApiError } from '@agp/core/errors';
import {
  type BudgetReservations,
  type HeldReservation,
  listHeldDays,
  type Reservation,
  type Reserved,
} from '@agp/reservations';
import { coalesce } from '@agp/runtime/fairness';
import type { Storage } from '../storage/storage.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';
import { type FindCheaper, rateLimited, refuseBudget } from './budget-refusals.ts';
import { type CapScope, findRefusing, judge, type Unfit } from './judge-budget.ts';
import type { OwnReservations } from './own-reservations.ts';
import type { RedisMemory } from './redis-memory.ts';

/*
 * How a request reserves its share of a budget while others compete for it:
 *
 *   place -> read the spend -> fits ------------------------------------------> admitted
 *     ^            |
 *     |            +-> leave out what is recorded by now -> fits --------------> admitted
 *     |                          |          |
 *     |                          |          +-> spent ------------------------> refused
 *     |                          v
 *     +-- there is room -- take back, and look now and then -- 250 ms are over -> refused
 *
 * The reservation is placed before the spend is read: so an event may count twice for a moment, but is never missed.
 */

export interface BudgetRequest extends Reservation {
  caps: DailyCaps;
  /** Its places in budgets, which `budgets` names for Redis. */
  charges: readonly Charge[];
  requestsPerMinute: number | null;
}

type Placed = Reserved & { isShared: boolean };

/** In milliseconds, if only reservations of running requests leave no room. */
const waitForOthersMs = 250;
/** The first pause between two looks; each is twice as long as the one before. */
const lookAgainMs = 25;

export interface BudgetOptions {
  shared: BudgetReservations;
  storage: Storage;
  /** Refuses while Redis is away, instead of counting only the requests of this process. */
  isStrict: boolean;
  onFailure: (error: Error) => void;
  /** In milliseconds; shorter in tests alone. */
  restoreWithinMs?: number | undefined;
  onEvicting?: () => void;
  onHeld?: (cap: CapScope) => void;
}

/** A reservation that is admitted is in `own`, and in Redis if that answers. */
type Admit = (request: BudgetRequest, deadline: StorageDeadline, findCheaper: FindCheaper) => Promise<Unfit[]>;

export function makeAdmit({
  shared,
  own,
  memory,
  storage,
  isStrict,
  onFailure,
  onHeld,
}: BudgetOptions & { own: OwnReservations; memory: RedisMemory }): Admit {
  const list = coalesce(
    async (asks: { day: string; agentId: string | null }[]) => {
      const lists = asks.map(async (ask) => [ask, await shared.list(ask.day, ask.agentId)] as const);
      return new Map(await Promise.all(lists));
    },
    { keyOf: ({ day, agentId }) => `${day} ${agentId}` },
  );

  const mustBeWhole = (request: BudgetRequest) =>
    isStrict && [...request.caps, ...request.charges].some(({ refuses }) => refuses);

  /** What strict caps know of Redis is known before its answer and after it: the connection may be another one by then. */
  async function askKnowing<Answer>(request: BudgetRequest, ask: () => Promise<Answer>): Promise<Answer> {
    if (!mustBeWhole(request)) return ask();
    await memory.know();
    const answer = await ask();
    await memory.know();
    return answer;
  }

  /** If Redis has lost something since it gave the request its number, others are missing as well. */
  const isComplete = (held: HeldReservation[], { eventId }: BudgetRequest, number: number) =>
    memory.isTrusted() && held.some((one) => one.eventId === eventId && one.seq === number);

  async function place(request: BudgetRequest, limit: number | null, deadline: StorageDeadline): Promise<Placed> {
    own.add(request);
    let isShared = true;
    const placed = await deadline
      .ask(askKnowing(request, () => shared.reserve(request, limit)))
      .catch((error: Error) => {
        onFailure(error);
        if (isStrict) throw new ApiError('budget_unavailable');
        isShared = false;
        return own.placeLast(request.eventId, limit, Date.now());
      });
    if ('seq' in placed) {
      if (mustBeWhole(request) && !memory.wasWholeFor(placed)) throw new ApiError('budget_unavailable');
      return { ...placed, isShared };
    }
    throw rateLimited(limit ?? 0, placed.resetSeconds);
  }

  /** Judges by the reservations that the spend does not hold yet; those numbered `before` or later do not count. */
  async function lookCloser(request: BudgetRequest, isShared: boolean, before: number, deadline: StorageDeadline) {
    const { day, agentId, charges } = request;
    const isOfAgent = request.caps[1].limit === Number.POSITIVE_INFINITY && charges.length === 0;
    const scope = isOfAgent ? agentId : null;
    // A window may be longer than a day.
    const days = charges.length === 0 ? [day] : listHeldDays(day);
    const asks = () => Promise.all(days.map(async (each) => (await list({ day: each, agentId: scope })) ?? []));
    const held = isShared
      ? (await deadline.ask(askKnowing(request, asks))).flat()
      : days.flatMap((each) => own.list(each, scope));
    if (Number.isFinite(before) && mustBeWhole(request) && !isComplete(held, request, before)) {
      throw new ApiError('budget_unavailable');
    }
    const others = held.filter(
      (other) => (other.seq < before || other.day !== day) && other.eventId !== request.eventId,
    );
    const eventIds = others.map(({ eventId }) => eventId);
    const ask = { day, agentId, eventIds, charges };
    const { recorded, used } = await storage.readUsedWithRecorded(ask, deadline.at);
    const pending = others.filter(({ eventId }) => !recorded.has(eventId));
    return judge(request.caps, charges, mineOf(request), used, sumHeld(request, pending));
  }

  async function takeBack({ eventId }: BudgetRequest): Promise<void> {
    const held = own.remove(eventId);
    if (held) await shared.release([held]).catch(onFailure);
  }

  function goOnWith(seen: Unfit[], error: Error): Unfit[] {
    if (error instanceof ApiError) throw error;
    onFailure(error);
    return seen;
  }

  /** Waits without a reservation: otherwise waiting requests would block each other, and smaller ones that fit. */
  async function waitForRoom(
    request: BudgetRequest,
    isShared: boolean,
    seen: Unfit[],
    giveUpAt: number,
    deadline: StorageDeadline,
    findCheaper: FindCheaper,
  ) {
    let latest = seen;
    for (let pauseMs = lookAgainMs; ; pauseMs *= 2) {
      if (performance.now() >= giveUpAt) {
        onHeld?.(findRefusing(latest)?.of.kind ?? 'agent');
        throw refuseBudget(latest, request.day, Date.now(), findCheaper);
      }
      await sleep(pauseMs);
      const looking = lookCloser(request, isShared, Number.POSITIVE_INFINITY, deadline);
      const judged = await looking.catch((error) => goOnWith([], error));
      const refusing = findRefusing(judged);
      if (refusing?.verdict === 'spent') throw refuseBudget(judged, request.day, Date.now(), findCheaper);
      if (!refusing) return;
      latest = judged;
    }
  }

  return async (request, deadline, findCheaper) => {
    let limit = request.requestsPerMinute;
    const giveUpAt = performance.now() + waitForOthersMs;
    for (;;) {
      const placed = await place(request, limit, deadline);
      // Counted once, however often the request looks again.
      limit = null;
      const used = await storage.readUsed(request, deadline.at);
      let judged = judge(request.caps, request.charges, mineOf(request), used, placed.earlier);
      if (judged.length === 0) return judged;
      if (judged.some(({ verdict }) => verdict === 'held')) {
        const seen = judged;
        const looking = lookCloser(request, placed.isShared, placed.seq, deadline);
        judged = await looking.catch((error) => goOnWith(seen, error));
      }
      const refusing = findRefusing(judged);
      if (!refusing) return judged;
      if (refusing.verdict === 'spent') throw refuseBudget(judged, request.day, Date.now(), findCheaper);
      await takeBack(request);
      await waitForRoom(request, placed.isShared, judged, giveUpAt, deadline, findCheaper);
    }
  };
}

const mineOf = ({ nanoUsd, budgets }: BudgetRequest) => ({ nanoUsd, tokens: budgets?.tokens ?? 0 });

/** What others hold of its caps, then of its budgets. */
function sumHeld({ day, agentId, charges }: BudgetRequest, others: readonly HeldReservation[]): number[] {
  const sum = (amountOf: (other: HeldReservation) => number | undefined) =>
    others.reduce((total, other) => total + (amountOf(other) ?? 0), 0);
  const ofAll = (other: HeldReservation) => (other.day === day ? other.nanoUsd : 0);
  const ofAgent = (other: HeldReservation) => (other.agentId === agentId ? ofAll(other) : 0);
  return [sum(ofAgent), sum(ofAll), ...charges.map(({ scope }) => sum((other) => other.charges?.[scope]))];
}

/** Budgets are judged once it is known what the request asks for. */
type EarlyCheck = Omit<BudgetRequest, 'eventId' | 'nanoUsd' | 'charges'>;

type CheckEarly = (check: EarlyCheck, deadline: StorageDeadline) => Promise<void>;

const noCharges: readonly Charge[] = [];

/** Reserves nothing, since the cost is not known yet. */
export function makeCheckEarly({
  shared,
  own,
  storage,
  isStrict,
  onFailure,
}: BudgetOptions & { own: OwnReservations }): CheckEarly {
  async function count(agentId: string, limit: number, deadline: StorageDeadline): Promise<void> {
    const counted = await deadline.ask(shared.countRequest(agentId, limit)).catch((error: Error) => {
      onFailure(error);
      if (isStrict) throw new ApiError('budget_unavailable');
      return own.countRequest(agentId, limit, Date.now());
    });
    if (counted) throw rateLimited(limit, counted.resetSeconds);
  }

  async function checkCaps(check: EarlyCheck, deadline: StorageDeadline): Promise<void> {
    const used = await storage.readUsed({ ...check, charges: noCharges }, deadline.at);
    const judged = judge(check.caps, noCharges, { nanoUsd: 0, tokens: 0 }, used, []);
    if (findRefusing(judged)) throw refuseBudget(judged, check.day, Date.now(), null);
  }

  return async (check, deadline) => {
    const { agentId, caps, requestsPerMinute } = check;
    if (requestsPerMinute !== null) await count(agentId, requestsPerMinute, deadline);
    if (isCapped(caps)) await checkCaps(check, deadline);
  };
}
