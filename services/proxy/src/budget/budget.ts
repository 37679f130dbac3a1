import { setTimeout as sleep } from 'node:timers/promises';
import type { UnrecordedReason } from '@agp/core/contracts';
import type { UnrecordedSpend } from '@agp/db';
import type { ForwardedRequest, Reservation } from '@agp/reservations';
import {
  type BudgetOptions,
  type BudgetRequest,
  type BudgetWarning,
  makeAdmit,
  type StorageDeadline,
} from './admit-to-budget.ts';
import type { FindCheaper } from './budget-refusals.ts';
import { type EarlyCheck, makeCheckEarly } from './check-early.ts';
import { makeForgetRecorded, OwnReservations } from './own-reservations.ts';
import { RedisMemory } from './redis-memory.ts';
import { makeSendForwarded, toSpend } from './send-forwarded.ts';

/**
 * Reserves cost before a request is forwarded, so that concurrent requests cannot exceed a cap, and gives unused amounts back, so
 * that no request is refused for money that was not spent.
 */
export interface Budget {
  /**
   * @param deadline when storage is given up; put off by what is waited for Redis in vain
   * @param findCheaper called for a refusal, to say the way out
   * @returns the caps that would have refused, but only warn
   * @throws ApiError `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_held`,
   *   `budget_unavailable`, `status_unavailable`; nothing is reserved then
   */
  reserve(request: BudgetRequest, deadline: StorageDeadline, findCheaper?: FindCheaper): Promise<BudgetWarning[]>;
  /**
   * Refuses what can be refused before the body has come. A request that was counted against its agent's minute here must not
   * be counted again.
   *
   * @throws ApiError `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_unavailable`,
   *   `status_unavailable`
   */
  checkEarly(check: EarlyCheck, deadline: StorageDeadline): Promise<void>;
  /**
   * The request may be forwarded once this resolves, in the same turn of the event loop: from then on its reservation outlives this
   * process, in Redis or else in Postgres. Never rejects.
   */
  forward(eventId: string, request: ForwardedRequest): Promise<void>;
  /** The request was not forwarded: nothing will be spent. */
  release(eventId: string): void;
  /** JetStream has the event: the writer will release. */
  confirm(eventId: string): void;
  /** The event is lost: its cost is stored as unrecorded spend, and then the reservation is released. */
  lose(eventId: string, costNanoUsd: number): void;
  /** Redis is there again, or another one in its place: sends it what it may have lost or never received. */
  reconnect(): void;
  stop(): Promise<void>;
}

const renewEveryMs = 10_000;
const confirmEveryMs = 100;
const retryLostMs = 1_000;
const restoreAtOnce = 500;

export function createBudget(options: BudgetOptions): Budget {
  const { shared, storage } = options;
  const own = new OwnReservations();
  let isRedisAway = false;
  const onFailure = (error: Error) => {
    isRedisAway = true;
    options.onFailure(error);
  };
  const memory = new RedisMemory({
    shared,
    onFailure,
    onEvicting: options.onEvicting ?? (() => {}),
    restore,
    restoreWithinMs: options.restoreWithinMs,
  });
  const admit = makeAdmit({ ...options, onFailure, own, memory });
  const sendForwarded = makeSendForwarded({
    shared,
    own,
    storage,
    onFailure,
    isRedisAway: () => isRedisAway,
    onSuccess: () => {
      isRedisAway = false;
    },
  });
  let confirmed: Reservation[] = [];
  const lost = new Set<Promise<void>>();
  const stopping = new AbortController();

  /** Sends something to Redis without waiting; a failure is only reported. */
  const tell = (work: Promise<unknown>) => void work.catch(onFailure);
  const renew = () => {
    const held = own.listUnconfirmed();
    if (held.length > 0) void sendForwarded.renew(held);
  };
  const forgetRecorded = makeForgetRecorded(own, storage);
  let isForgetting = false;
  const renewing = setInterval(() => {
    renew();
    confirmed = confirmed.filter(({ eventId }) => own.has(eventId));
    if (isForgetting) return;
    isForgetting = true;
    // Looked for again at the next turn; that storage fails is reported where requests need it.
    void forgetRecorded(performance.now())
      .catch(() => {})
      .finally(() => {
        isForgetting = false;
      });
  }, renewEveryMs);
  let sending: Promise<void> | null = null;
  const confirming = setInterval(() => {
    if (confirmed.length === 0) return;
    sending ??= confirmAll()
      .catch(onFailure)
      .finally(() => {
        sending = null;
      });
  }, confirmEveryMs);

  /** Sends again confirmations that Redis did not get: otherwise its leases would end long before a late writer records the events. */
  async function confirmAll(): Promise<void> {
    const all = confirmed;
    confirmed = [];
    let sent = 0;
    try {
      // In parts: while Redis is away many wait, and each try costs one part.
      for (; sent < all.length; sent += restoreAtOnce) await shared.confirm(all.slice(sent, sent + restoreAtOnce));
    } finally {
      confirmed = [...all.slice(sent), ...confirmed];
    }
  }

  /**
   * Events that JetStream has and no writer has recorded yet count too. Recorded ones among them do no harm: who looks closer leaves
   * them out, and writers sweep them. Postgres is not asked, which may have failed together with Redis.
   */
  async function restore(): Promise<void> {
    await sendInParts(own.listUnconfirmed(), (some) => shared.renew(some));
    await sendInParts(own.listConfirmed(), async (some) => {
      await shared.renew(some);
      await shared.confirm(some);
    });
    isRedisAway = false;
  }

  async function sendInParts(all: Reservation[], send: (some: Reservation[]) => Promise<void>): Promise<void> {
    for (let at = 0; at < all.length; at += restoreAtOnce) {
      // What was released meanwhile must not come back.
      await send(all.slice(at, at + restoreAtOnce).filter(({ eventId }) => own.has(eventId)));
    }
  }

  function giveBack(eventId: string): void {
    const held = own.remove(eventId);
    if (held) tell(shared.release([held]));
  }

  async function keepLost(reservation: Reservation, costNanoUsd: number): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await storage.addUnrecordedSpend(toUnrecorded(reservation, costNanoUsd, 'lost'));
        tell(shared.release([reservation]));
        return;
      } catch {
        await sleep(retryLostMs, undefined, { ref: false });
      }
    }
  }

  return {
    async reserve(request, deadline, findCheaper = () => null) {
      const { eventId, agentCap, globalCap, requestsPerMinute } = request;
      if (agentCap.capNanoUsd === null && globalCap.capNanoUsd === null && requestsPerMinute === null) {
        // Nothing can refuse it. Redis still gets the reservation when it is forwarded, for a cap that is set while it runs.
        own.add(request);
        return [];
      }
      try {
        return await admit(request, deadline, findCheaper);
      } catch (error) {
        giveBack(eventId);
        throw error;
      }
    },
    checkEarly: makeCheckEarly({ ...options, onFailure, own }),
    async forward(eventId, request) {
      const held = own.forward(eventId, request);
      if (held) await sendForwarded.forward(held);
    },
    release: giveBack,
    confirm(eventId) {
      const held = own.confirm(eventId, performance.now());
      if (held) confirmed.push(held);
    },
    lose(eventId, costNanoUsd) {
      const held = own.remove(eventId);
      if (!held) return;
      const keeping = keepLost(held, costNanoUsd).finally(() => lost.delete(keeping));
      lost.add(keeping);
    },
    reconnect() {
      memory.forget();
      renew();
      tell(memory.look());
    },
    async stop() {
      memory.stop();
      clearInterval(renewing);
      clearInterval(confirming);
      stopping.abort();
      await sending;
      if (confirmed.length > 0) await confirmAll().catch(onFailure);
      // Forwarded requests without a confirmed event count at their reservation. Redis keeps that too, and a writer checks again
      // once its lease has ended, so that an event which arrived meanwhile is not counted twice.
      const left = own.listUnconfirmed().filter(({ forwarded }) => forwarded !== undefined);
      const keeping = left.map((held) =>
        storage.addUnrecordedSpend(toUnrecorded(held, held.nanoUsd, 'ended_without_record')),
      );
      await Promise.allSettled([...keeping, ...lost]);
    },
  };
}

const toUnrecorded = (held: Reservation, costNanoUsd: number, reason: UnrecordedReason): UnrecordedSpend => ({
  ...toSpend(held, costNanoUsd),
  reason,
});
