import { setTimeout as sleep } from 'node:timers/promises';
import type { Charge } from '@agp/budgets';
import { ApiError } from '@agp/core/errors';
import type { DailyCap } from '@agp/db';
import {
  type BudgetReservations,
  type HeldReservation,
  listHeldDays,
  type Reservation,
  type Reserved,
} from '@agp/reservations';
import { coalesce } from '@agp/runtime/fairness';
import { findCaps } from '../journey.ts';
import type { Storage } from '../storage/storage.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';
import { type FindCheaper, rateLimited, refuseBudget } from './budget-refusals.ts';
import { type CapScope, type CapVerdict, findRefusing, judgeCaps, judgeCharges } from './judge-budget.ts';
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
  agentCap: DailyCap;
  globalCap: DailyCap;
  /** Its places in budgets, which `budgets` names for Redis. */
  charges: readonly Charge[];
  requestsPerMinute: number | null;
}

export type BudgetWarning = Pick<CapVerdict, 'scope' | 'charge'>;

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
type Admit = (request: BudgetRequest, deadline: StorageDeadline, findCheaper: FindCheaper) => Promise<BudgetWarning[]>;

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
    isStrict &&
    (findCaps({ limits: request, budgets: null }).mayRefuse ||
      request.charges.some(({ stored }) => stored.budget.on_exceeded === 'refuse'));

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
    const scope = request.globalCap.capNanoUsd === null && charges.length === 0 ? agentId : null;
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
    const { recorded, used, ...spend } = await storage.readSpendWithRecorded(ask, deadline.at);
    const pending = others.filter(({ eventId }) => !recorded.has(eventId));
    const today = pending.filter((other) => other.day === day);
    const sum = (some: HeldReservation[]) => some.reduce((total, { nanoUsd }) => total + nanoUsd, 0);
    const earlier = { agent: sum(today.filter((other) => other.agentId === agentId)), global: sum(today) };
    const ofCharges = judgeCharges(charges, mineOf(request), used, sumCharges(charges, pending));
    return [...judgeCaps(request, spend, earlier), ...ofCharges];
  }

  async function takeBack({ eventId }: BudgetRequest): Promise<void> {
    const held = own.remove(eventId);
    if (held) await shared.release([held]).catch(onFailure);
  }

  function goOnWith(seen: CapVerdict[], error: Error): CapVerdict[] {
    if (error instanceof ApiError) throw error;
    onFailure(error);
    return seen;
  }

  /** Waits without a reservation: otherwise waiting requests would block each other, and smaller ones that fit. */
  async function waitForRoom(
    request: BudgetRequest,
    isShared: boolean,
    seen: CapVerdict[],
    giveUpAt: number,
    deadline: StorageDeadline,
    findCheaper: FindCheaper,
  ) {
    let latest = seen;
    for (let pauseMs = lookAgainMs; ; pauseMs *= 2) {
      if (performance.now() >= giveUpAt) {
        onHeld?.(findRefusing(latest)?.scope ?? 'agent');
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
      const { used, ...spend } = await storage.readSpend(request, deadline.at);
      const earlier = { agent: placed.agentEarlierNanoUsd, global: placed.globalEarlierNanoUsd };
      let judged = judgeCaps(request, spend, earlier);
      if (request.charges.length > 0)
        judged.push(...judgeCharges(request.charges, mineOf(request), used, placed.budgetsEarlier));
      if (judged.some(({ verdict }) => verdict === 'held')) {
        const seen = judged;
        const looking = lookCloser(request, placed.isShared, placed.seq, deadline);
        judged = await looking.catch((error) => goOnWith(seen, error));
      }
      const refusing = findRefusing(judged);
      if (!refusing) return judged.filter(({ verdict }) => verdict !== 'fits');
      if (refusing.verdict === 'spent') throw refuseBudget(judged, request.day, Date.now(), findCheaper);
      await takeBack(request);
      await waitForRoom(request, placed.isShared, judged, giveUpAt, deadline, findCheaper);
    }
  };
}

const mineOf = ({ nanoUsd, budgets }: BudgetRequest) => ({ nanoUsd, tokens: budgets?.tokens ?? 0 });

/** What reservations hold of each of these budgets. */
const sumCharges = (charges: readonly Charge[], held: readonly HeldReservation[]): number[] =>
  charges.map(({ scope }) => held.reduce((sum, each) => sum + (each.charges?.[scope] ?? 0), 0));

/** Budgets are judged once it is known what the request asks for. */
type EarlyCheck = Omit<BudgetRequest, 'eventId' | 'nanoUsd' | 'charges'>;

type CheckEarly = (check: EarlyCheck, deadline: StorageDeadline) => Promise<void>;

const noCharges: readonly Charge[] = [];
const nothingReserved = { agent: 0, global: 0 };

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
    const spend = await storage.readSpend({ ...check, charges: noCharges }, deadline.at);
    const judged = judgeCaps({ ...check, nanoUsd: 0 }, spend, nothingReserved);
    if (findRefusing(judged)) throw refuseBudget(judged, check.day, Date.now(), null);
  }

  return async (check, deadline) => {
    const { agentId, agentCap, globalCap, requestsPerMinute } = check;
    if (requestsPerMinute !== null) await count(agentId, requestsPerMinute, deadline);
    if (agentCap.capNanoUsd !== null || globalCap.capNanoUsd !== null) await checkCaps(check, deadline);
  };
}
