import type { Redis } from 'ioredis';
import {
  countScript,
  extendScript,
  listEndedScript,
  lookScript,
  purgeScript,
  releaseScript,
  reserveScript,
} from './budget-scripts.ts';
import {
  type BudgetShare,
  type Charges,
  listHeldDays,
  nameHeldDays,
  parseCharges,
  readNumbers,
  writeShare,
} from './budget-share.ts';
import { forwardCommand } from './connect-redis.ts';
import { makeSendAgain } from './send-again.ts';

/** What operators see of a request after its proxy was killed. */
export interface ForwardedRequest {
  sessionId: string;
  provider: string;
  /** As the request named it, at most 256 characters; null if none was read. */
  model: string | null;
}

/** Ids of sessions and providers contain no `|`; a model's name may. */
function writeForwarded({ sessionId, provider, model }: ForwardedRequest): string {
  return `${sessionId}|${provider}|${model ?? ''}`;
}

/** Null for any other text. */
function parseForwarded(text: string): ForwardedRequest | null {
  const [, sessionId, provider, model] = /^([^|]+)\|([^|]+)\|(.*)$/s.exec(text) ?? [];
  if (sessionId === undefined || provider === undefined) return null;
  return { sessionId, provider, model: model || null };
}

/*
 * Reservations for admitted requests that are not in Postgres' usage table yet, in Redis, shared by all proxies.
 *
 *   reserve -> placed (30 s) -> forwarded (30 s, extended while a proxy has it or its event) -> confirmed (24 h) -> released
 *                |                |  ^  amended once its cost is known                            by the writer, after its commit
 *                |                |
 *                |                +--> its lease ends (the proxy was killed): held on until a writer has noted it in Postgres
 *                +--> released by the proxy (refused), or its lease ends: nothing was forwarded, nothing is noted
 *
 * A reservation belongs to its UTC day and counts for its agent and for all agents. Each has a number, and a later one never counts
 * against an earlier one: of two that do not fit together the first is admitted.
 */

export interface Reservation {
  /** UUID of the event that will record the cost. */
  eventId: string;
  /** UUID */
  agentId: string;
  /** UTC day of the event, `YYYY-MM-DD`. */
  day: string;
  nanoUsd: number;
  /** Absent if no budget counts it. */
  budgets?: BudgetShare | undefined;
  /** Once it is set, the reservation no longer ends with its lease. */
  forwarded?: ForwardedRequest | undefined;
}

export type ForwardedReservation = Reservation & { forwarded: ForwardedRequest };

/** Its proxy was killed, or its event is not recorded a day after JetStream got it. */
export interface EndedReservation {
  eventId: string;
  agentId: string;
  nanoUsd: number;
  charges: Charges | null;
  /** Null if it cannot be read. */
  forwarded: ForwardedRequest | null;
}

/** What was reserved before a reservation, and is not released. */
export interface Reserved {
  /** In the order of the day. */
  seq: number;
  /** Of the agent and of all agents, in nano-dollars, then of each budget in the order of its share, in steps of its unit. */
  earlier: readonly number[];
  /** In milliseconds: how long Redis has lost nothing. */
  wholeForMs: number;
}

export interface Memory {
  /** The last visible loss, by the clock of Redis: another value is another loss. */
  since: number;
  /** It may drop reservations when its memory is full. */
  mayEvict: boolean;
}

export interface RateLimited {
  /** Seconds until the next minute begins. */
  resetSeconds: number;
}

export interface HeldReservation {
  eventId: string;
  agentId: string;
  nanoUsd: number;
  seq: number;
  day: string;
  charges: Charges | null;
}

/** Reservations that all replicas share. Every method rejects while Redis is down or does not answer. */
export interface BudgetReservations {
  /** @param requestsPerMinute counted by this call; null without a limit, or if the request was counted before */
  reserve(reservation: Reservation, requestsPerMinute: number | null): Promise<Reserved | RateLimited>;
  /** Null if the agent's minute had room. */
  countRequest(agentId: string, requestsPerMinute: number): Promise<RateLimited | null>;
  /** Unknown reservations are ignored. */
  release(reservations: readonly Pick<Reservation, 'eventId' | 'day'>[]): Promise<void>;
  /**
   * Call it just before the requests go out: from then on only a release ends a reservation. Adds missing ones. It is on the connection
   * before this returns, so a kill cannot come between.
   */
  forward(reservations: readonly ForwardedReservation[]): Promise<void>;
  /** To the amounts given, at once. Does not restore. */
  amend(reservations: readonly Reservation[]): Promise<void>;
  /** By 30 s, with the amounts given; restores reservations that Redis has lost. */
  renew(reservations: readonly Reservation[]): Promise<void>;
  /** To 24 h, with the amounts given, since JetStream has the event. Does not restore. */
  confirm(reservations: readonly Reservation[]): Promise<void>;
  /**
   * Sees whether Redis was flushed, restarted, or replaced by a replica that may lack the latest; for the proxy alone.
   */
  look(): Promise<Memory>;
  /** Drops reservations whose lease ended before they were forwarded. */
  purge(day: string): Promise<void>;
  /**
   * Those whose lease ended after they were forwarded count until they are released; `isAll` is false if there may be more.
   */
  listEnded(day: string, limit: number): Promise<{ ended: EndedReservation[]; isAll: boolean }>;
  list(day: string, agentId: string | null): Promise<HeldReservation[]>;
  /** What is held of budgets, by scope, whatever the day. */
  readBudgets(now: number): Promise<Map<string, number>>;
  /** In nano-dollars, by agent UUID. */
  readTotals(day: string): Promise<{ globalNanoUsd: number; byAgent: Map<string, number> }>;
}

/** In milliseconds. */
export const leaseMs = 30_000;
const confirmedMs = 24 * 3_600_000;

const baseOf = (day: string) => `agp:{budget}:${day}`;

const toArguments = ({ eventId, agentId, nanoUsd, budgets, forwarded }: Reservation) => [
  eventId,
  agentId,
  nanoUsd,
  writeShare(budgets),
  forwarded ? writeForwarded(forwarded) : '',
];

function parseHeld(value: string): { agentId: string; nanoUsd: number; seq: number } {
  const [nanoUsd, seq, agent] = value.split('|');
  return { agentId: agent ?? '', nanoUsd: Number(nanoUsd), seq: Number(seq) };
}

const readField = (info: string, name: string) => new RegExp(`^${name}:(\\w+)`, 'm').exec(info)?.[1] ?? '';

interface Scripts {
  agpReserve(
    base: string,
    ...args: (string | number)[]
  ): Promise<[admitted: number, first: number, wholeForMs?: number, earlier?: string]>;
  agpCount(base: string, agentId: string, limit: number): Promise<number>;
  agpRelease(base: string, ...ids: string[]): Promise<number>;
  agpExtend(base: string, ...args: (string | number)[]): Promise<number>;
  agpForward(base: string, ...args: (string | number)[]): Promise<number>;
  agpLook(base: string, runId: string): Promise<[number, number]>;
  agpPurge(base: string): Promise<number>;
  agpListEnded(base: string, limit: number): Promise<[number, ...string[]]>;
}

/** Shorter leases are for tests. */
export function createBudgetReservations(redis: Redis, leaseMilliseconds = leaseMs): BudgetReservations {
  redis.defineCommand('agpReserve', { numberOfKeys: 1, lua: reserveScript });
  redis.defineCommand('agpCount', { numberOfKeys: 1, lua: countScript });
  redis.defineCommand('agpRelease', { numberOfKeys: 1, lua: releaseScript });
  redis.defineCommand('agpExtend', { numberOfKeys: 1, lua: extendScript });
  redis.defineCommand(forwardCommand, { numberOfKeys: 1, lua: extendScript });
  redis.defineCommand('agpLook', { numberOfKeys: 1, lua: lookScript });
  redis.defineCommand('agpPurge', { numberOfKeys: 1, lua: purgeScript });
  redis.defineCommand('agpListEnded', { numberOfKeys: 1, lua: listEndedScript });
  const scripts = redis as unknown as Scripts;
  const sendAgain = makeSendAgain(redis);

  async function extend(
    command: 'agpExtend' | 'agpForward',
    reservations: readonly Reservation[],
    milliseconds: number,
    restore: 0 | 1,
  ): Promise<void> {
    const byDay = Map.groupBy(reservations, ({ day }) => day);
    await Promise.all(
      [...byDay].map(([day, held]) => {
        return scripts[command](baseOf(day), milliseconds, restore, ...held.flatMap(toArguments));
      }),
    );
  }

  async function purge(day: string): Promise<void> {
    // In steps, so that Redis serves others in between.
    while ((await scripts.agpPurge(baseOf(day))) > 0);
  }

  return {
    async reserve({ eventId, agentId, day, nanoUsd, budgets }, requestsPerMinute) {
      const [admitted, first = 0, wholeForMs = 0, earlier = ''] = await sendAgain(() =>
        scripts.agpReserve(
          baseOf(day),
          eventId,
          agentId,
          nanoUsd,
          leaseMilliseconds,
          requestsPerMinute ?? 0,
          writeShare(budgets),
          budgets === undefined ? '' : nameHeldDays(day),
        ),
      );
      if (admitted === 0) return { resetSeconds: first };
      return { seq: first, earlier: readNumbers(earlier), wholeForMs };
    },
    async countRequest(agentId, requestsPerMinute) {
      // Minutes do not belong to a day; the script only needs a key in the right slot of the cluster.
      const resetSeconds = await sendAgain(() => scripts.agpCount(baseOf('minutes'), agentId, requestsPerMinute));
      return resetSeconds === 0 ? null : { resetSeconds };
    },
    async release(reservations) {
      const byDay = Map.groupBy(reservations, ({ day }) => day);
      await Promise.all(
        [...byDay].map(([day, held]) => scripts.agpRelease(baseOf(day), ...held.map(({ eventId }) => eventId))),
      );
    },
    forward: (reservations) => extend('agpForward', reservations, leaseMilliseconds, 1),
    renew: (reservations) => extend('agpExtend', reservations, leaseMilliseconds, 1),
    amend: (reservations) => extend('agpExtend', reservations, leaseMilliseconds, 0),
    confirm: (reservations) => extend('agpExtend', reservations, confirmedMs, 0),
    async look() {
      const [server, memory] = await sendAgain(() => Promise.all([redis.info('server'), redis.info('memory')]));
      // Any key of the slot will do.
      const [since] = await sendAgain(() => scripts.agpLook(baseOf('look'), readField(server, 'run_id')));
      const isBounded = Number(readField(memory, 'maxmemory')) > 0;
      return { since, mayEvict: isBounded && readField(memory, 'maxmemory_policy') !== 'noeviction' };
    },
    purge,
    async list(day, agentId) {
      const base = baseOf(day);
      const [held, charges] = await sendAgain(() =>
        Promise.all([
          redis.hgetall(agentId === null ? `${base}:held` : `${base}:agent:${agentId}`),
          agentId === null ? redis.hgetall(`${base}:charges`) : ({} as Record<string, string>),
        ]),
      );
      return Object.entries(held).map(([eventId, value]) => {
        const parsed = parseHeld(value);
        return { eventId, ...parsed, day, charges: parseCharges(charges[eventId] ?? '', parsed.nanoUsd) };
      });
    },
    async readBudgets(now) {
      const sums = new Map<string, number>();
      const days = listHeldDays(new Date(now).toISOString().slice(0, 10));
      for (const held of await Promise.all(days.map((day) => redis.hgetall(`${baseOf(day)}:budgets`))))
        for (const [scope, amount] of Object.entries(held)) sums.set(scope, (sums.get(scope) ?? 0) + Number(amount));
      return sums;
    },
    async listEnded(day, limit) {
      const [looked, ...rows] = await scripts.agpListEnded(baseOf(day), limit);
      const ended: EndedReservation[] = [];
      for (let at = 0; at + 3 < rows.length; at += 4) {
        const { agentId, nanoUsd } = parseHeld(rows[at + 1] ?? '');
        const charges = parseCharges(rows[at + 3] ?? '', nanoUsd);
        ended.push({
          eventId: rows[at] ?? '',
          agentId,
          nanoUsd,
          charges,
          forwarded: parseForwarded(rows[at + 2] ?? ''),
        });
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
