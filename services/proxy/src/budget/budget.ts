import { setTimeout as sleep } from 'node:timers/promises';
import type { UnrecordedReason } from '@agp/core/contracts';
import type { ForwardedRequest, Reservation } from '@agp/reservations';
import {
  type BudgetOptions,
  type BudgetRequest,
  type BudgetWarning,
  makeAdmit,
  type StorageDeadline,
} from './admit-to-budget.ts';
import type { FindCheaper } from './budget-refusals.ts';
import { makeCheckEarly } from './check-early.ts';
import { makeForgetRecorded, OwnReservations } from './own-reservations.ts';
import { RedisMemory } from './redis-memory.ts';
import { makeSendForwarded, toSpend } from './send-forwarded.ts';

const renewEveryMs = 10_000;
const confirmEveryMs = 100;
const retryLostMs = 1_000;
const restoreAtOnce = 500;

/**
 * Reserves cost before a request is forwarded, so that concurrent requests cannot exceed a cap, and gives unused amounts back, so
 * that no request is refused for money that was not spent.
 *
 *   reserve --> forward --> confirm (JetStream has the event, a writer releases)
 *      |           +------> lose    (the event is lost: its cost is stored, then released)
 *      +--> release (not forwarded)
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #own = new OwnReservations();
  readonly #memory: RedisMemory;
  readonly #admit: ReturnType<typeof makeAdmit>;
  readonly #sendForwarded: ReturnType<typeof makeSendForwarded>;
  readonly #forgetRecorded: ReturnType<typeof makeForgetRecorded>;
  readonly #timers: NodeJS.Timeout[];
  readonly #stopping = new AbortController();
  readonly #lost = new Set<Promise<void>>();
  #confirmed: Reservation[] = [];
  #confirming: Promise<void> | null = null;
  #forgetting: Promise<void> | null = null;
  #isRedisAway = false;

  /**
   * Refuses what can be refused before the body has come. A request that was counted against its agent's minute here must not
   * be counted again.
   *
   * @throws ApiError `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_unavailable`, `status_unavailable`
   */
  readonly checkEarly: ReturnType<typeof makeCheckEarly>;

  constructor(given: BudgetOptions) {
    const onFailure = (error: Error) => {
      this.#isRedisAway = true;
      given.onFailure(error);
    };
    const options = { ...given, onFailure };
    const { shared, storage, onEvicting = () => {}, restoreWithinMs } = options;
    const own = this.#own;
    this.#options = options;
    this.#memory = new RedisMemory({ shared, onFailure, onEvicting, restore: () => this.#restore(), restoreWithinMs });
    this.#admit = makeAdmit({ ...options, own, memory: this.#memory });
    this.checkEarly = makeCheckEarly({ ...options, own });
    this.#sendForwarded = makeSendForwarded({
      shared,
      own,
      storage,
      onFailure,
      isRedisAway: () => this.#isRedisAway,
      onSuccess: () => {
        this.#isRedisAway = false;
      },
    });
    this.#forgetRecorded = makeForgetRecorded(own, storage);
    this.#timers = [
      setInterval(() => this.#renewAndForget(), renewEveryMs),
      setInterval(() => this.#sendConfirmed(), confirmEveryMs),
    ];
  }

  /**
   * @param deadline when storage is given up; waiting for Redis puts it off
   * @param findCheaper called for a refusal, to say the way out
   * @returns the caps that would have refused, but only warn
   * @throws ApiError `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_held`,
   *   `budget_unavailable`, `status_unavailable`; nothing is reserved then
   */
  async reserve(
    request: BudgetRequest,
    deadline: StorageDeadline,
    findCheaper: FindCheaper = () => null,
  ): Promise<BudgetWarning[]> {
    const { eventId, agentCap, globalCap, requestsPerMinute } = request;
    if (agentCap.capNanoUsd === null && globalCap.capNanoUsd === null && requestsPerMinute === null) {
      // Nothing can refuse it. Redis still gets the reservation when it is forwarded, for a cap that is set while it runs.
      this.#own.add(request);
      return [];
    }
    try {
      return await this.#admit(request, deadline, findCheaper);
    } catch (error) {
      this.release(eventId);
      throw error;
    }
  }

  /**
   * The request may be forwarded once this resolves, in the same turn of the event loop: from then on its reservation outlives this
   * process, in Redis or else in Postgres. Never rejects.
   */
  async forward(eventId: string, request: ForwardedRequest): Promise<void> {
    const held = this.#own.forward(eventId, request);
    if (held) await this.#sendForwarded.forward(held);
  }

  /** The request was not forwarded: nothing will be spent. */
  release(eventId: string): void {
    const held = this.#own.remove(eventId);
    if (held) this.#tell(this.#options.shared.release([held]));
  }

  /** JetStream has the event: the writer will release. */
  confirm(eventId: string): void {
    const held = this.#own.confirm(eventId, performance.now());
    if (held) this.#confirmed.push(held);
  }

  /** The event is lost: its cost is stored as unrecorded spend, and then the reservation is released. */
  lose(eventId: string, costNanoUsd: number): void {
    const held = this.#own.remove(eventId);
    if (!held) return;
    const keeping = this.#keepLost(held, costNanoUsd).finally(() => this.#lost.delete(keeping));
    this.#lost.add(keeping);
  }

  /** Redis is there again, or another one in its place: sends it what it may have lost or never received. */
  reconnect(): void {
    this.#memory.forget();
    this.#renew();
    this.#tell(this.#memory.look());
  }

  async stop(): Promise<void> {
    this.#memory.stop();
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
    await this.#confirming;
    if (this.#confirmed.length > 0) await this.#confirmAll().catch(this.#options.onFailure);
    // Forwarded requests without a confirmed event count at their reservation. Redis keeps that too, and a writer checks again
    // once its lease has ended, so that an event which arrived meanwhile is not counted twice.
    const left = this.#own.listUnconfirmed().filter(({ forwarded }) => forwarded !== undefined);
    const keeping = left.map((held) => this.#store(held, held.nanoUsd, 'ended_without_record'));
    await Promise.allSettled([...keeping, ...this.#lost]);
  }

  /** Sends something to Redis without waiting; a failure is only reported. */
  #tell(work: Promise<unknown>): void {
    void work.catch(this.#options.onFailure);
  }

  #renew(): void {
    const held = this.#own.listUnconfirmed();
    if (held.length > 0) void this.#sendForwarded.renew(held);
  }

  #renewAndForget(): void {
    this.#renew();
    this.#confirmed = this.#confirmed.filter(({ eventId }) => this.#own.has(eventId));
    // A failure of storage is reported where requests need it; the next turn looks again.
    this.#forgetting ??= this.#forgetRecorded(performance.now())
      .catch(() => {})
      .finally(() => {
        this.#forgetting = null;
      });
  }

  #sendConfirmed(): void {
    if (this.#confirmed.length === 0) return;
    this.#confirming ??= this.#confirmAll()
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#confirming = null;
      });
  }

  /** Keeps what Redis did not get for the next time: otherwise its leases would end long before a late writer records the events. */
  async #confirmAll(): Promise<void> {
    const all = this.#confirmed;
    this.#confirmed = [];
    let sent = 0;
    try {
      // In parts: while Redis is away many wait, and each try costs one part.
      for (; sent < all.length; sent += restoreAtOnce)
        await this.#options.shared.confirm(all.slice(sent, sent + restoreAtOnce));
    } finally {
      this.#confirmed = [...all.slice(sent), ...this.#confirmed];
    }
  }

  /**
   * Restores the events that JetStream has and no writer has recorded yet too. Recorded ones among them do no harm: a closer look
   * leaves them out, and writers sweep them. Postgres is not asked, which may have failed together with Redis.
   */
  async #restore(): Promise<void> {
    const { shared } = this.#options;
    await this.#sendInParts(this.#own.listUnconfirmed(), (some) => shared.renew(some));
    await this.#sendInParts(this.#own.listConfirmed(), async (some) => {
      await shared.renew(some);
      await shared.confirm(some);
    });
    this.#isRedisAway = false;
  }

  async #sendInParts(all: Reservation[], send: (some: Reservation[]) => Promise<void>): Promise<void> {
    for (let at = 0; at < all.length; at += restoreAtOnce) {
      // What was released meanwhile must not come back.
      await send(all.slice(at, at + restoreAtOnce).filter(({ eventId }) => this.#own.has(eventId)));
    }
  }

  async #keepLost(reservation: Reservation, costNanoUsd: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#store(reservation, costNanoUsd, 'lost');
        this.#tell(this.#options.shared.release([reservation]));
        return;
      } catch {
        await sleep(retryLostMs, undefined, { ref: false });
      }
    }
  }

  #store(held: Reservation, costNanoUsd: number, reason: UnrecordedReason): Promise<void> {
    return this.#options.storage.addUnrecordedSpend({ ...toSpend(held, costNanoUsd), reason });
  }
}
