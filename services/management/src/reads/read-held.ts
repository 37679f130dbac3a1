import { ApiError } from '@agp/core/errors';
import type { BudgetReservations, HeldReservation } from '@agp/reservations';

/**
 * What all agents have reserved for a day. Read before the spend that it is shown with: what is recorded in between is
 * then found in the spend, and what was released before is in it.
 *
 * @param day `YYYY-MM-DD`, UTC
 * @throws ApiError `reservations_unavailable`: amounts that nobody knows are not shown as none
 */
export async function readHeld(reservations: BudgetReservations, day: string): Promise<HeldReservation[]> {
  try {
    await reservations.purge(day);
    return await reservations.list(day, null);
  } catch {
    throw new ApiError('reservations_unavailable');
  }
}
