import type { Redis } from 'ioredis';
import {
  countScript,
  extendScript,
  listEndedScript,
  purgeScript,
  releaseScript,
  reserveScript,
} from './budget-scripts.ts';
import { forwardCommand } from './connect-redis.ts';
import { type ForwardedRequest, parseForwarded, writeForwarded } from './forwarded-request.ts';

/*
 * What is admitted and not yet in the usage table of Postgres, in Redis, for all proxies together.
 *
 *   reserve -> placed (30 s) -> forwarded (30 s, extended while a proxy has it or its event) -> confirmed (24 h) -> released
 *                |                |                                                               by the writer, after its commit
 *                |                +--> its lease ends (the proxy was killed): held on until a writer has noted it in Postgres
 *                +--> released by the proxy (refused), or its lease ends: nothing was forwarded, nothing is noted
 *
 * A reservation stands under its UTC day and is counted for its agent and for all agents. Each has a number: a later
 * one never counts against an earlier one, so that of two that do not fit together the first is admitted.
 */

export interface Reservation {
  /** UUID of the event that will record the cost. */
  eventId: string;
  /** UUID */
  agentId: string;
  /** UTC day of the event, `YYYY-MM-DD`. */
  day: string;
  /** Whole nano-dollars. */
  nanoUsd: number;
  /** Set from when the request is on its way to its provider: its reservation then outlives every lease. */
  forwarded?: ForwardedRequest | undefined;
}

/** A reservation whose request is on its way. */
export type ForwardedReservation = Reservation & { forwarded: ForwardedRequest };

/** A forwarded reservation that nobody holds any more: its proxy was killed, or its event is not recorded a day after JetStream had it. */
export interface EndedReservation {
  eventId: string;
  agentId: string;
  nanoUsd: number;
  /** Null where it cannot be read. */
  forwarded: ForwardedRequest | null;
}

/** What was reserved before a reservation, and is not released. */
export interface Reserved {
  /** Place in the order of reservations of the day. */
  seq: number;
  agentEarlierNanoUsd: number;
  globalEarlierNanoUsd: number;
}

/** The agent's requests of this minute were used up. */
export interface RateLimited {
  /** Seconds until the next minute begins. */
  resetSeconds: number;
}

/** A reservation as others see it. */
export interface HeldReservation {
  eventId: string;
  agentId: string;
  nanoUsd: number;
  seq: number;
}

/** Reservations that all replicas share. Every method rejects while Redis is away or silent. */
export interface BudgetReservations {
  /** @param requestsPerMinute the agent's limit, counted by this call; null where there is none, or it was counted */
  reserve(reservation: Reservation, requestsPerMinute: number | null): Promise<Reserved | RateLimited>;
  /** Counts a request against its agent's minute before it reserves. @returns null where there was room for it */
  countRequest(agentId: string, requestsPerMinute: number): Promise<RateLimited | null>;
  /** Gives back; what is no longer there is passed over. */
  release(reservations: readonly Pick<Reservation, 'eventId' | 'day'>[]): Promise<void>;
  /**
   * The request goes to its provider now: from here on its reservation ends by a release alone. What Redis does not hold, which is so for a
   * request without caps, it holds from now on. Written to the connection before this returns, so that a caller who then goes on cannot be
   * killed with the request out and this not.
   */
  forward(reservation: ForwardedReservation): Promise<void>;
  /** Holds for another 30 s, and puts back what Redis has lost. */
  renew(reservations: readonly Reservation[]): Promise<void>;
  /** Holds for 24 h: JetStream has the event, and the writer will release. What is no longer there stays away. */
  confirm(reservations: readonly Reservation[]): Promise<void>;
  /** Drops the reservations of a day that have outlived their lease and were not forwarded. */
  purge(day: string): Promise<void>;
  /**
   * Forwarded reservations of a day that have outlived their lease. They stay held until they are released.
   *
   * @param limit most of them at once
   * @returns `isAll` is false where there may be more
   */
  listEnded(day: string, limit: number): Promise<{ ended: EndedReservation[]; isAll: boolean }>;
  /** The reservations of a day, of one agent or of all. */
  list(day: string, agentId: string | null): Promise<HeldReservation[]>;
  /** What is reserved for a day, in nano-dollars: for all agents, and by agent UUID. */
  readTotals(day: string): Promise<{ globalNanoUsd: number; byAgent: Map<string, number> }>;
}

/** How long a reservation outlives a proxy that no longer renews it, in milliseconds. */
export const leaseMs = 30_000;
const confirmedMs = 24 * 3_600_000;

const baseOf = (day: string) => `agp:{budget}:${day}`;

const toArguments = ({ eventId, agentId, nanoUsd, forwarded }: Reservation) => [
  eventId,
  agentId,
  nanoUsd,
  forwarded ? writeForwarded(forwarded) : '',
];

function parseHeld(value: string): { agentId: string; nanoUsd: number; seq: number } {
  const [nanoUsd, seq, agent] = value.split('|');
  return { agentId: agent ?? '', nanoUsd: Number(nanoUsd), seq: Number(seq) };
}

interface Scripts {
  agpReserve(base: string, ...args: (string | number)[]): Promise<number[]>;
  agpCount(base: string, agentId: string, limit: number): Promise<number>;
  agpRelease(base: string, ...ids: string[]): Promise<number>;
  agpExtend(base: string, ...args: (string | number)[]): Promise<number>;
  agpForward(base: string, ...args: (string | number)[]): Promise<number>;
  agpPurge(base: string): Promise<number>;
  agpListEnded(base: string, limit: number): Promise<[number, ...string[]]>;
}

/** @param leaseMilliseconds shorter in tests alone */
export function createBudgetReservations(redis: Redis, leaseMilliseconds = leaseMs): BudgetReservations {
  redis.defineCommand('agpReserve', { numberOfKeys: 1, lua: reserveScript });
  redis.defineCommand('agpCount', { numberOfKeys: 1, lua: countScript });
  redis.defineCommand('agpRelease', { numberOfKeys: 1, lua: releaseScript });
  redis.defineCommand('agpExtend', { numberOfKeys: 1, lua: extendScript });
  redis.defineCommand(forwardCommand, { numberOfKeys: 1, lua: extendScript });
  redis.defineCommand('agpPurge', { numberOfKeys: 1, lua: purgeScript });
  redis.defineCommand('agpListEnded', { numberOfKeys: 1, lua: listEndedScript });
  const scripts = redis as unknown as Scripts;

  async function extend(reservations: readonly Reservation[], milliseconds: number, restore: 0 | 1): Promise<void> {
    const byDay = Map.groupBy(reservations, ({ day }) => day);
    await Promise.all(
      [...byDay].map(([day, held]) => {
        return scripts.agpExtend(baseOf(day), milliseconds, restore, ...held.flatMap(toArguments));
      }),
    );
  }

  async function purge(day: string): Promise<void> {
    // A step at a time, so that Redis serves others in between.
    while ((await scripts.agpPurge(baseOf(day))) > 0);
  }

  return {
    async reserve({ eventId, agentId, day, nanoUsd }, requestsPerMinute) {
      const [admitted, first = 0, agent = 0, global = 0] = await scripts.agpReserve(
        baseOf(day),
        eventId,
        agentId,
        nanoUsd,
        leaseMilliseconds,
        requestsPerMinute ?? 0,
      );
      if (admitted === 0) return { resetSeconds: first };
      return { seq: first, agentEarlierNanoUsd: agent, globalEarlierNanoUsd: global };
    },
    async countRequest(agentId, requestsPerMinute) {
      // Minutes are no part of a day; the script only needs the slot of the cluster.
      const resetSeconds = await scripts.agpCount(baseOf('minutes'), agentId, requestsPerMinute);
      return resetSeconds === 0 ? null : { resetSeconds };
    },
    async release(reservations) {
      const byDay = Map.groupBy(reservations, ({ day }) => day);
      await Promise.all(
        [...byDay].map(([day, held]) => scripts.agpRelease(baseOf(day), ...held.map(({ eventId }) => eventId))),
      );
    },
    async forward(reservation) {
      await scripts.agpForward(baseOf(reservation.day), leaseMilliseconds, 1, ...toArguments(reservation));
    },
    renew: (reservations) => extend(reservations, leaseMilliseconds, 1),
    confirm: (reservations) => extend(reservations, confirmedMs, 0),
    purge,
    async list(day, agentId) {
      const base = baseOf(day);
      const held = await redis.hgetall(agentId === null ? `${base}:held` : `${base}:agent:${agentId}`);
      return Object.entries(held).map(([eventId, value]) => ({ eventId, ...parseHeld(value) }));
    },
    async listEnded(day, limit) {
      const [looked, ...rows] = await scripts.agpListEnded(baseOf(day), limit);
      const ended: EndedReservation[] = [];
      for (let at = 0; at + 2 < rows.length; at += 3) {
        const { agentId, nanoUsd } = parseHeld(rows[at + 1] ?? '');
        ended.push({ eventId: rows[at] ?? '', agentId, nanoUsd, forwarded: parseForwarded(rows[at + 2] ?? '') });
      }
      return { ended, isAll: looked < limit };
    },
    async readTotals(day) {
      await purge(day);
      const { global, ...byAgent } = await redis.hgetall(`${baseOf(day)}:totals`);
      return {
        globalNanoUsd: Number(global ?? 0),
        byAgent: new Map(Object.entries(byAgent).map(([agent, total]) => [agent, Number(total)])),
      };
    },
  };
}
