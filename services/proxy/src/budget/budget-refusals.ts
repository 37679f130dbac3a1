import { ApiError } from '@agp/core/errors';
import type { CapScope } from './judge-budget.ts';

/**
 * Recorded spend has used up the cap; the next UTC day begins anew.
 *
 * @param day of the request, `YYYY-MM-DD`; it may be over by now
 * @param now milliseconds since 1970
 */
export function budgetExceeded(scope: CapScope, day: string, now: number): ApiError {
  const secondsLeft = Math.ceil((Date.parse(day) + 86_400_000 - now) / 1_000);
  return new ApiError(scope === 'agent' ? 'agent_budget_exceeded' : 'global_budget_exceeded', {
    headers: { 'Retry-After': String(Math.max(1, secondsLeft)) },
  });
}

/** @param limit requests a minute */
export function rateLimited(limit: number, resetSeconds: number): ApiError {
  return new ApiError('rate_limited', {
    headers: {
      'Retry-After': String(resetSeconds),
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(resetSeconds),
    },
  });
}
