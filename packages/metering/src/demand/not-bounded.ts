import { ApiError } from '@agp/core/errors';

/** Keys come from outside: so much of one is shown, and nothing that is not printed. */
const shown = (field: string) => field.replace(/[^\x20-\x7e]/g, '?').slice(0, 64);

/**
 * What the request may cost has no bound that could be kept.
 *
 * @param field of the body, or the header, that is at fault
 */
export function notBounded(field: string, reason: string): ApiError {
  return new ApiError('cost_not_bounded', `the cost cannot be bounded: ${shown(field)} ${reason}`);
}
