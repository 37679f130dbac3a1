import { setTimeout as sleep } from 'node:timers/promises';
import { isCapped } from '@agp/budgets';
import type { UnrecordedReason } from '@agp/core/contracts';
import { uuidTime } from '@agp/core/ids';
import type { ForwardedRequest, Reservation } from '@agp/reservations';
import type { StorageDeadline } from '../storage/storage-deadline.ts';
import { type BudgetOptions, type BudgetRequest, makeAdmit, makeCheckEarly } from './admit-to-budget.ts';
import type { FindCheaper } from './budget-refusals.ts';
import { toDay, type Unfit } from './judge-budget.ts';
import { makeForgetRecorded, OwnReservations } from './own-reservations.ts';
import { RedisMemory } from './redis-memory.ts';
import { makeSendForwarded, toSpend } from './send-forwarded.ts';

const renewEveryMs = 10_000;
const confirmEveryMs = 100;
const retryLostMs = 1_000;
const restoreAtOnce = 500;

/** The UUID of a hold: of the same millisecond as the event's, and of no event. */
function nameHold(eventId: string): string {
  const last = Number.parseInt(eventId.slice(-1), 16) ^ 1;
  return eventId.slice(0, -1) + last.toString(16);
}

/**
 * Reserves cost before a request is forwarded, so that concurrent requests cannot exceed a cap, and gives unused amounts back, so
 * that no request is refused for money that was not spent.
 *
 *   reserve --> markForwarded --> amend --> confirm (JetStream has the event, a writer releases)
 *      |                            |  +--> lose    (the event is lost: its cost is stored, then released)
 *      +--> release (not forwarded) +--> what the call cost is held in place of what it might cost
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
   * Refuses what needs no body, and counts the request against its agent's minute, once.
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
   * @returns the caps that would have refused, but only warn
   * @throws ApiError `rate_limited`, `agent_budget_exceeded`, `global_budget_exceeded`, `budget_exceeded`, `budget_held`,
   *   `budget_unavailable`, `status_unavailable`; nothing is reserved then
   */
  async reserve(
    request: BudgetRequest,
    deadline: StorageDeadline,
    findCheaper: FindCheaper = () => null,
  ): Promise<Unfit[]> {
    const { eventId, caps, charges, requestsPerMinute } = request;
    if (charges.length === 0 && !isCapped(caps) && requestsPerMinute === null) {
      // Nothing can refuse it; forwarded, it still reaches Redis, for a cap that is set while it runs.
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
   * Once this resolves, in the same turn of the event loop, the reservation outlives this process, in Redis or in Postgres. Never rejects.
   */
  async markForwarded(eventId: string, request: ForwardedRequest): Promise<void> {
    const held = this.#own.forward(eventId, request);
    if (held) await this.#sendForwarded.forward(held);
  }

  /**
   * Holds what a call is known to cost, and its tokens. If that is more than was held, other proxies see it once this resolves; if less, it is
   * null, and they see it with the next confirmation. Never rejects: what Redis did not get is sent again.
   */
  amend(eventId: string, nanoUsd: number, tokens: number): Promise<void> | null {
    const raised = this.#own.amend(eventId, nanoUsd, tokens);
    return raised && this.#options.shared.amend([raised]).catch(this.#options.onFailure);
  }

  release(eventId: string): void {
    const held = this.#own.remove(eventId);
    if (held) this.#tell(this.#options.shared.release([held]));
  }

  /**
   * Holds what an event's work in the background may cost, beside the event itself, until `settle`, or for the day that a confirmed one
   * is waited for: then a writer lists it as unrecorded spend.
   */
  holdOn(reservation: Reservation, forwarded: ForwardedRequest): void {
    const eventId = nameHold(reservation.eventId);
    this.#own.add({ ...reservation, eventId, forwarded });
    void this.markForwarded(eventId, forwarded).then(() => this.confirm(eventId));
  }

  /** Gives back what was held for the work of an event, whichever proxy held it. */
  settle(startEventId: string): void {
    const eventId = nameHold(startEventId);
    this.#own.remove(eventId);
    this.#tell(this.#options.shared.release([{ eventId, day: toDay(uuidTime(eventId)) }]));
  }

  confirm(eventId: string): void {
    const held = this.#own.confirm(eventId, performance.now());
    if (held) this.#confirmed.push(held);
  }

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
    // They count at their reservation; a writer checks again once the lease in Redis has ended, so none counts twice.
    const left = this.#own.listUnconfirmed().filter(({ forwarded }) => forwarded !== undefined);
    const keeping = left.map((held) => this.#store(held, held.nanoUsd, 'ended_without_record'));
    await Promise.allSettled([...keeping, ...this.#lost]);
  }

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
    // Requests that need storage report its failure; the next turn looks again.
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

  /** What Redis did not get is sent again: its leases would end before a late writer records the events. */
  async #confirmAll(): Promise<void> {
    const all = this.#confirmed;
    this.#confirmed = [];
    let sent = 0;
    try {
      for (; sent < all.length; sent += restoreAtOnce)
        await this.#options.shared.confirm(all.slice(sent, sent + restoreAtOnce));
    } finally {
      this.#confirmed = [...all.slice(sent), ...this.#confirmed];
    }
  }

  /** Recorded events among them do no harm: a closer look leaves them out, and writers sweep them. */
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
