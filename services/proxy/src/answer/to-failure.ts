import { ApiError, type ErrorCode } from '@agp/core/errors';

/** The error code for the agent when the provider never answered. */
export function toFailure(error: Error): ErrorCode {
  // A body that streams through may turn out too large or end early.
  if (error instanceof ApiError) return error.code;
  const { code } = error as { code?: string };
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
    ? 'provider_timeout'
    : 'provider_unreachable';
}
