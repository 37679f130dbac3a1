import { ApiError } from '@agp/core/errors';
import type { BudgetReservations, HeldReservation } from '@agp/reservations';

/**
 * The reservations of all agents for a day. Must be read before the spend that they are shown with, so that an event that is recorded in
 * between is found in the spend and not missed.
 *
 * @param day `YYYY-MM-DD`, UTC
 * @throws ApiError `reservations_unavailable`: unknown amounts must not look like zero
 */
export async function readHeld(reservations: BudgetReservations, day: string): Promise<HeldReservation[]> {
  try {
    await reservations.purge(day);
    return await reservations.list(day, null);
  } catch {
    throw new ApiError('reservations_unavailable');
  }
}
