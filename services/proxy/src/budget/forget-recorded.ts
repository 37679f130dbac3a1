import type { Storage } from '../storage/storage.ts';
import type { OwnReservations } from './own-reservations.ts';

/** So many events are looked for first: where all of these are recorded, neither a writer nor one of its lanes is behind. */
const fewAtFirst = 200;
/** The most that are looked for in a round. */
const maxAtOnce = 2_000;

/**
 * Makes a round that forgets reservations whose events are recorded. It costs storage next to nothing where writers keep up, and little
 * where they do not: then each round looks for some, and the next for those behind them.
 *
 * @returns rejects as storage does: then all are kept
 */
export function makeForgetRecorded(own: OwnReservations, storage: Pick<Storage, 'findRecorded'>) {
  let at = 0;
  /** @param now on the monotonic clock, in milliseconds */
  return async (now: number): Promise<void> => {
    const overdue = own.listOverdue(now);
    const step = Math.ceil(overdue.length / fewAtFirst);
    const few = overdue.filter((_, index) => index % step === 0 || index === overdue.length - 1);
    if (few.length === 0) return;
    const found = await storage.findRecorded(few);
    own.forget(found.length === few.length ? overdue : found);
    if (found.length === few.length || few.length === overdue.length) return;
    if (at >= overdue.length) at = 0;
    const some = overdue.slice(at, at + maxAtOnce);
    const recorded = await storage.findRecorded(some);
    own.forget(recorded);
    // The list is shorter next time by what was found.
    at += some.length - recorded.length;
  };
}
