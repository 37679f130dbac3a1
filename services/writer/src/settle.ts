import { uuidOf } from '@agp/core/ids';
import type { RecordedEvents } from '@agp/db';
import type { BudgetReservations } from '@agp/reservations';

/** Gives back what was reserved for events that are recorded now; see {@link makeSettle}. */
export type Settle = (recorded: RecordedEvents) => void;

/**
 * After the commit an event's cost stands in the usage table, so that its reservation would count it twice. Nothing waits
 * for this: what Redis does not hear is swept up later, or released when the event is delivered again.
 *
 * @param onFailure told when Redis cannot be reached
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
