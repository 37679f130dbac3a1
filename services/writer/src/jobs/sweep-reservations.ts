import { toPublicId, uuidTime } from '@agp/core/ids';
import {
  findRecordedIds,
  listForwarded,
  noteEndedRequests,
  type Pool,
  removeForwarded,
  type UnrecordedSpend,
} from '@agp/db';
import { type BudgetReservations, type EndedReservation, leaseMs } from '@agp/reservations';
import { every, type Logger } from '@agp/runtime';
import type { WriterMetrics } from '../metrics.ts';

/** Younger ones are in use, and a proxy's clock may be ahead of ours. */
const minAgeMs = 10_000;
const sweepEveryMs = 10_000;
const rowsAtOnce = 1_000;
const dayMs = 86_400_000;

/**
 * Releases reservations of recorded events: a writer may have died between its commit and the release. Several may sweep at once.
 * @returns how many were found recorded
 */
export async function sweepReservations(reservations: BudgetReservations, pool: Pool, now: number): Promise<number> {
  let swept = 0;
  for (const time of [now, now - dayMs]) {
    const day = new Date(time).toISOString().slice(0, 10);
    const held = await reservations.list(day, null);
    const old = held.map(({ eventId }) => eventId).filter((id) => Math.abs(now - uuidTime(id)) > minAgeMs);
    for (let at = 0; at < old.length; at += rowsAtOnce) {
      const recorded = await findRecordedIds(pool, old.slice(at, at + rowsAtOnce));
      if (recorded.length > 0) await reservations.release(recorded.map((eventId) => ({ eventId, day })));
      swept += recorded.length;
    }
  }
  return swept;
}

interface SweepOptions {
  reservations: BudgetReservations;
  pool: Pool;
  metrics: WriterMetrics;
  logger: Logger;
  onFailure: (error: Error) => void;
  readUnreadMs: () => Promise<number>;
  /** In milliseconds; shorter in tests alone. */
  everyMs?: number | undefined;
  silentMs?: number | undefined;
}

/** Ids in one line of the log. */
const shownIds = 20;

/** Sweeps regularly; returns what stops it, after a moment for the running round. */
export function keepSweeping(options: SweepOptions): () => Promise<void> {
  const { reservations, pool, metrics, logger, onFailure, readUnreadMs, everyMs = sweepEveryMs, silentMs } = options;
  let wasAway = false;
  const logNoted = ({ eventIds, unreadable }: Noted) => {
    if (eventIds.length > 0) {
      logger.warn({ requests: eventIds.length }, 'requests ended without a record: their proxy was killed');
      const shown = eventIds.slice(0, shownIds).map((eventId) => toPublicId('evt', eventId));
      logger.debug({ eventIds: shown, more: eventIds.length - shown.length }, 'ended without a record');
    }
    if (unreadable > 0) logger.error({ reservations: unreadable }, 'reservations that cannot be read were given up');
  };
  const sweep = async () => {
    const noted: Noted = { eventIds: [], unreadable: 0 };
    const add = ({ eventIds, unreadable }: Noted) => {
      metrics.endedWithoutRecord.inc(eventIds.length);
      noted.eventIds.push(...eventIds);
      noted.unreadable += unreadable;
    };
    const report = (error: unknown) => onFailure(error as Error);
    const sweepRedis = async () => {
      await sweepReservations(reservations, pool, Date.now());
      await noteEnded(reservations, pool, Date.now(), add);
    };
    await sweepRedis().catch(report);
    const addLost = (eventIds: string[]) => add({ eventIds, unreadable: 0 });
    const whileAway = (error: unknown) => {
      wasAway = true;
      report(error);
    };
    // Once Postgres is back, all writers first record what they hold: for that they have a round.
    if (wasAway) await pool.query('SELECT').then(() => (wasAway = false), report);
    // Forwarded requests are noted also while Redis is away.
    else await noteForwarded(reservations, pool, readUnreadMs, addLost, silentMs).catch(whileAway);
    logNoted(noted);
  };
  // The next round of any writer finds what this one leaves.
  return every(everyMs, sweep, onFailure);
}

/** Days for which Redis keeps reservations, today included. */
const daysKept = 9;
const notedAtOnce = 500;
/** Most pages in a round, of one day or of silent requests; the next round continues. */
const pagesInRound = 20;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Noted {
  eventIds: string[];
  /** Not ours, or broken: they are dropped. */
  unreadable: number;
}

/**
 * Moves abandoned reservations of killed proxies from Redis to Postgres, where they keep counting and operators see them. Noted first and
 * released then, so a crash only repeats the note.
 * @throws errors of Redis and Postgres: the rest is left to the next round
 */
export async function noteEnded(
  reservations: BudgetReservations,
  pool: Pool,
  now: number,
  onNoted: (noted: Noted) => void,
): Promise<void> {
  for (let ago = 0; ago < daysKept; ago += 1) {
    const day = new Date(now - ago * dayMs).toISOString().slice(0, 10);
    // Budgets of months count what a day before holds.
    await reservations.purge(day);
    for (let page = 0; page < pagesInRound; page += 1) {
      const { ended, isAll } = await reservations.listEnded(day, notedAtOnce);
      const readable = ended.filter(isReadable);
      if (ended.length > 0) {
        const spends = readable.map((reservation) => toSpend(reservation, day));
        const eventIds = spends.length === 0 ? [] : await noteEndedRequests(pool, spends);
        onNoted({ eventIds, unreadable: ended.length - readable.length });
        await reservations.release(ended.map(({ eventId }) => ({ eventId, day })));
      }
      if (isAll) break;
    }
  }
}

/** What Postgres would refuse must not block the others. */
function isReadable({ eventId, agentId, nanoUsd }: EndedReservation): boolean {
  return uuid.test(eventId) && uuid.test(agentId) && Number.isSafeInteger(nanoUsd) && nanoUsd >= 0;
}

function toSpend(
  { nanoUsd: costNanoUsd, forwarded: request, ...ended }: EndedReservation,
  day: string,
): UnrecordedSpend {
  return { ...ended, day, costNanoUsd, reason: 'ended_without_record', request };
}

/** In milliseconds: after a longer look proxies, too, may have been unable to tell Postgres anything. */
const hungMs = 5_000;

/**
 * Settles requests that proxies kept in Postgres while Redis was away, and that were silent for 30 seconds: recorded ones are forgotten,
 * held ones left to Redis, the others were lost with their proxy. Noted first and forgotten then, so a crash only repeats the note.
 * A proxy is also silent about a request once JetStream has its event, so nothing counts as silent that a writer behind may still record.
 * @param readUnreadMs age of the oldest unrecorded message, in milliseconds
 * @throws errors of Postgres, also if it hung, and of `readUnreadMs`: the rest is left to the next round
 */
export async function noteForwarded(
  reservations: BudgetReservations,
  pool: Pool,
  readUnreadMs: () => Promise<number>,
  onNoted: (eventIds: string[]) => void,
  leastSilentMs = leaseMs,
): Promise<void> {
  let began = performance.now();
  const silentMs = leastSilentMs + (await readUnreadMs());
  for (let page = 0; page < pagesInRound; page += 1) {
    const silent = await listForwarded(pool, silentMs, notedAtOnce);
    if (performance.now() - began > hungMs) throw new Error('Postgres hung: who is silent is looked at again later');
    began = performance.now();
    if (silent.length === 0) return;
    const eventIds = silent.map(({ eventId }) => eventId);
    const settled = new Set(await findRecordedIds(pool, eventIds));
    for (const day of new Set(silent.map((each) => each.day))) {
      // Redis may be away for writers, too: then this list alone knows of them.
      const held = await reservations.list(day, null).catch(() => []);
      for (const { eventId } of held) settled.add(eventId);
    }
    const lost = silent.filter(({ eventId }) => !settled.has(eventId));
    if (lost.length > 0)
      onNoted(
        await noteEndedRequests(
          pool,
          lost.map((each) => ({ ...each, reason: 'ended_without_record' })),
        ),
      );
    await removeForwarded(pool, eventIds, silentMs);
    if (silent.length < notedAtOnce) return;
  }
}
