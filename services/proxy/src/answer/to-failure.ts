import { ApiError, type ErrorCode } from '@agp/core/errors';

/** What the agent is told where the provider never answered. */
export function toFailure(error: Error): ErrorCode {
  // A body that streams through may turn out to be too large, or to end early, on its way.
  if (error instanceof ApiError) return error.code;
  const { code } = error as { code?: string };
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
    ? 'provider_timeout'
    : 'provider_unreachable';
}
