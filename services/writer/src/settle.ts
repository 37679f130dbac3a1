import { uuidOf } from '@agp/core/ids';
import type { RecordedEvents } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';

/** Releases the reservations of recorded events; see {@link makeSettle}. */
export type Settle = (recorded: RecordedEvents) => void;

/**
 * After the commit an event's cost is in the usage table, and its reservation would count it twice. Nothing waits for the release: one
 * that Redis missed is made by a later sweep, or when the event is delivered again.
 *
 * @param onFailure called when Redis cannot be reached
 */
export function makeSettle(reservations: BudgetReservations, onFailure: (error: Error) => void): Settle {
  return ({ recorded, known }) => {
    const settled = [...recorded, ...known].map(({ event }) => ({
      eventId: uuidOf('evt', event.id),
      day: event.timestamp.slice(0, 10),
    }));
    if (settled.length > 0) reservations.release(settled).catch(onFailure);
  };
}
