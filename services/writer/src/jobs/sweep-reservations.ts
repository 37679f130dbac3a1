import { toPublicId, uuidTime } from '@agp/core/ids';
import { findRecordedIds, type Pool } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';
import { every, type Logger } from '@agp/runtime';
import type { WriterMetrics } from '../metrics.ts';
import { type Noted, noteEnded } from './note-ended.ts';
import { noteForwarded } from './note-forwarded.ts';

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
