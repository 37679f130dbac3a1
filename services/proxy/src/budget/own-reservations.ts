import type {
  ForwardedRequest,
  ForwardedReservation,
  HeldReservation,
  RateLimited,
  Reservation,
  Reserved,
} from '@agp/reservations';

interface Own extends Reservation {
  seq: number;
  /** When JetStream had its event, on a clock that is never set, in milliseconds; null until then. */
  confirmedAt: number | null;
}

/** How long a confirmed event may wait for a writer. This matters only while Redis is away. */
const rememberConfirmedMs = 30_000;

/** The reservations of this process: those it must renew in Redis, and all that it knows of while Redis is away. */
export class OwnReservations {
  readonly #held = new Map<string, Own>();
  readonly #minutes = new Map<string, { minute: number; used: number }>();
  #seq = 0;

  add(reservation: Reservation): void {
    this.#seq += 1;
    this.#held.set(reservation.eventId, { ...reservation, seq: this.#seq, confirmedAt: null });
  }

  /** @returns the reservation that was removed */
  remove(eventId: string): Reservation | undefined {
    const held = this.#held.get(eventId);
    this.#held.delete(eventId);
    return held;
  }

  /** True if it is held, or was confirmed less than 30 seconds ago. */
  has(eventId: string): boolean {
    return this.#held.has(eventId);
  }

  /** The request was forwarded. @returns the reservation, if it is held */
  forward(eventId: string, forwarded: ForwardedRequest): ForwardedReservation | undefined {
    const held = this.#held.get(eventId);
    return held && Object.assign(held, { forwarded });
  }

  /** JetStream has the event, so the reservation is no longer renewed. @param now as in {@link listUnconfirmed} @returns the reservation, if it is held */
  confirm(eventId: string, now: number): Reservation | undefined {
    const held = this.#held.get(eventId);
    if (held) held.confirmedAt = now;
    return held;
  }

  /** The reservations to renew. Forgets those confirmed long ago. */
  listUnconfirmed(now: number): Reservation[] {
    const unconfirmed: Reservation[] = [];
    for (const held of this.#held.values()) {
      if (held.confirmedAt === null) unconfirmed.push(held);
      else if (now - held.confirmedAt > rememberConfirmedMs) this.#held.delete(held.eventId);
    }
    return unconfirmed;
  }

  /** Those of events that JetStream has, which Redis holds until they are recorded. */
  listConfirmed(): Reservation[] {
    return [...this.#held.values()].filter(({ confirmedAt }) => confirmedAt !== null);
  }

  /** The reservations of a day, of one agent or of all. */
  list(day: string, agentId: string | null): HeldReservation[] {
    return [...this.#held.values()].filter((held) => held.day === day && (!agentId || held.agentId === agentId));
  }

  /** Moves an added reservation to the end, and sums up those before it. */
  reserve(eventId: string, requestsPerMinute: number | null, now: number): Reserved | RateLimited {
    const mine = this.#held.get(eventId);
    if (!mine) throw new Error('only what was added can be reserved');
    const limited = requestsPerMinute === null ? null : this.countRequest(mine.agentId, requestsPerMinute, now);
    if (limited) return limited;
    this.#held.delete(eventId);
    const others = this.list(mine.day, null);
    const sum = (held: HeldReservation[]) => held.reduce((total, { nanoUsd }) => total + nanoUsd, 0);
    this.add(mine);
    return {
      seq: this.#seq,
      agentEarlierNanoUsd: sum(others.filter(({ agentId }) => agentId === mine.agentId)),
      globalEarlierNanoUsd: sum(others),
      wholeForMs: 0,
    };
  }

  /** @returns null where the agent's minute had room for one more */
  countRequest(agentId: string, limit: number, now: number): RateLimited | null {
    const minute = Math.floor(now / 60_000);
    const counted = this.#minutes.get(agentId);
    const used = counted?.minute === minute ? counted.used : 0;
    if (used >= limit) return { resetSeconds: 60 - (Math.floor(now / 1_000) % 60) };
    if (this.#minutes.size > 10_000) this.#minutes.clear();
    this.#minutes.set(agentId, { minute, used: used + 1 });
    return null;
  }
}
