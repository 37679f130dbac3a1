import {
  countsTokens,
  type ForwardedRequest,
  type ForwardedReservation,
  type HeldReservation,
  listCharges,
  type RateLimited,
  type Reservation,
  type Reserved,
} from '@agp/reservations';
import type { Storage } from '../storage/storage.ts';

interface Own extends Reservation {
  seq: number;
  /** In milliseconds on the monotonic clock. */
  confirmedAt: number | null;
}

type Confirmed = Own & { confirmedAt: number };

/** Events of confirmed reservations are looked for after this long, in milliseconds. */
const recordedWithinMs = 30_000;
/** Confirmed reservations are forgotten after this long, recorded or not, in milliseconds. */
const rememberMs = 3_600_000;
/** More than this are forgotten, the first first: they take some 40 MB. */
const rememberedOverdue = 20_000;

/** What one holds of the caps of its agent and of all, and of its budgets, by names of these, in their order. */
function listCounted(held: Reservation): [name: string, amount: number][] {
  const { day, agentId, nanoUsd } = held;
  return [[`${day} ${agentId}`, nanoUsd], [day, nanoUsd], ...Object.entries(listCharges(held) ?? {})];
}

/** The reservations of this process: those it must renew in Redis, and all that it knows of while Redis is away. */
export class OwnReservations {
  readonly #held = new Map<string, Own>();
  /** What is held of caps and budgets: summed up once Redis is away, and kept from then on. */
  #sums: Map<string, number> | null = null;
  readonly #minutes = new Map<string, { minute: number; used: number }>();
  #seq = 0;

  add(reservation: Reservation): void {
    this.#seq += 1;
    this.remove(reservation.eventId);
    this.#held.set(reservation.eventId, { ...reservation, seq: this.#seq, confirmedAt: null });
    this.#count(reservation, 1);
  }

  remove(eventId: string): Reservation | undefined {
    const held = this.#held.get(eventId);
    if (held === undefined) return undefined;
    this.#held.delete(eventId);
    this.#count(held, -1);
    return held;
  }

  has(eventId: string): boolean {
    return this.#held.has(eventId);
  }

  forward(eventId: string, forwarded: ForwardedRequest): ForwardedReservation | undefined {
    const held = this.#held.get(eventId);
    return held && Object.assign(held, { forwarded });
  }

  /** @returns the reservation if it holds more by now; else null */
  amend(eventId: string, nanoUsd: number, tokens: number): Reservation | null {
    const held = this.#held.get(eventId);
    if (held === undefined) return null;
    const before = held.budgets !== undefined && countsTokens(held.budgets) ? held.budgets.tokens : tokens;
    const isMore = nanoUsd > held.nanoUsd || tokens > before;
    if (nanoUsd === held.nanoUsd && tokens === before) return null;
    this.#count(held, -1);
    held.nanoUsd = nanoUsd;
    if (before !== tokens && held.budgets) held.budgets = { ...held.budgets, tokens };
    this.#count(held, 1);
    return isMore ? held : null;
  }

  confirm(eventId: string, now: number): Reservation | undefined {
    const held = this.#held.get(eventId);
    if (held) held.confirmedAt = now;
    return held;
  }

  listUnconfirmed(): Reservation[] {
    return [...this.#held.values()].filter(({ confirmedAt }) => confirmedAt === null);
  }

  listConfirmed(): Confirmed[] {
    return [...this.#held.values()].filter((held): held is Confirmed => held.confirmedAt !== null);
  }

  /** Events that JetStream has had for 30 seconds, the first reserved first. Forgets what is too old, or too many. */
  listOverdue(now: number): string[] {
    const overdue = this.listConfirmed().filter(({ confirmedAt }) => now - confirmedAt > recordedWithinMs);
    const isKept = ({ confirmedAt }: Confirmed, index: number) =>
      now - confirmedAt <= rememberMs && index >= overdue.length - rememberedOverdue;
    const { kept = [], dropped = [] } = Object.groupBy(overdue, (one, index) =>
      isKept(one, index) ? 'kept' : 'dropped',
    );
    this.forget(dropped.map(({ eventId }) => eventId));
    return kept.map(({ eventId }) => eventId);
  }

  forget(eventIds: readonly string[]): void {
    for (const eventId of eventIds) this.remove(eventId);
  }

  list(day: string, agentId: string | null): HeldReservation[] {
    return [...this.#held.values()]
      .filter((held) => held.day === day && (!agentId || held.agentId === agentId))
      .map((held) => ({ ...held, charges: listCharges(held) }));
  }

  /** Moves an added reservation to the end, and sums up those before it. */
  placeLast(eventId: string, requestsPerMinute: number | null, now: number): Reserved | RateLimited {
    const mine = this.#held.get(eventId);
    if (!mine) throw new Error('only what was added can be reserved');
    const limited = requestsPerMinute === null ? null : this.countRequest(mine.agentId, requestsPerMinute, now);
    if (limited) return limited;
    this.add(mine);
    return {
      seq: this.#seq,
      earlier: this.#listEarlier(mine),
      wholeForMs: 0,
    };
  }

  /** @returns null if the agent's minute had room for one more */
  countRequest(agentId: string, limit: number, now: number): RateLimited | null {
    const minute = Math.floor(now / 60_000);
    const counted = this.#minutes.get(agentId);
    const used = counted?.minute === minute ? counted.used : 0;
    if (used >= limit) return { resetSeconds: 60 - (Math.floor(now / 1_000) % 60) };
    if (this.#minutes.size > 10_000) this.#minutes.clear();
    this.#minutes.set(agentId, { minute, used: used + 1 });
    return null;
  }

  #count(held: Reservation, sign: 1 | -1): void {
    if (this.#sums === null) return;
    for (const [name, amount] of listCounted(held)) {
      const sum = (this.#sums.get(name) ?? 0) + sign * amount;
      if (sum === 0) this.#sums.delete(name);
      else this.#sums.set(name, sum);
    }
  }

  /** What the others hold of one's caps and budgets, in their order. */
  #listEarlier(mine: Own): number[] {
    if (this.#sums === null) {
      this.#sums = new Map();
      for (const held of this.#held.values()) this.#count(held, 1);
    }
    const sums = this.#sums;
    return listCounted(mine).map(([name, amount]) => (sums.get(name) ?? 0) - amount);
  }
}

/** If all of these few are recorded, neither a writer nor one of its lanes is behind. */
const fewAtFirst = 200;
const lookedForAtOnce = 2_000;

/**
 * Each round forgets reservations whose events are recorded; while writers are behind it looks for a part, and the next round for the next.
 */
export function makeForgetRecorded(own: OwnReservations, storage: Pick<Storage, 'findRecorded'>) {
  let at = 0;
  return async (now: number): Promise<void> => {
    const overdue = own.listOverdue(now);
    const step = Math.ceil(overdue.length / fewAtFirst);
    const few = overdue.filter((_, index) => index % step === 0 || index === overdue.length - 1);
    if (few.length === 0) return;
    const found = await storage.findRecorded(few);
    own.forget(found.length === few.length ? overdue : found);
    if (found.length === few.length || few.length === overdue.length) return;
    if (at >= overdue.length) at = 0;
    const some = overdue.slice(at, at + lookedForAtOnce);
    const recorded = await storage.findRecorded(some);
    own.forget(recorded);
    at += some.length - recorded.length;
  };
}
