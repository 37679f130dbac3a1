import { ApiError } from '@agp/core/errors';

/**
 * Reads when a key or token expires; null is never.
 *
 * @throws ApiError `invalid_parameter` for a time in the past
 */
export function parseExpiry(expiresAt: string | null | undefined): Date | null {
  if (!expiresAt) return null;
  const time = new Date(expiresAt);
  if (time.getTime() <= Date.now()) throw new ApiError('invalid_parameter', 'expires_at: must lie in the future');
  return time;
}
