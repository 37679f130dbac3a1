import { ApiError } from '@agp/core/errors';

/** Keys come from outside: this much of one is shown, without control characters. */
const shown = (field: string) => field.replace(/[^\x20-\x7e]/g, '?').slice(0, 64);

/**
 * Refuses a request whose cost has no bound.
 *
 * @param field of the body, or the header, that is at fault
 */
export function notBounded(field: string, reason: string): ApiError {
  return new ApiError('cost_not_bounded', `the cost cannot be bounded: ${shown(field)} ${reason}`);
}
