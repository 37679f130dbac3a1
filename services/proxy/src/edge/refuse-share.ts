import { ApiError } from '@agp/core/errors';
import type { Full } from '@agp/runtime/fairness';

/** The error for a full share: the agent's own, with a message, or that of all. */
export function refuseShare(full: Full, ofAgent: string): ApiError {
  return full === 'agent' ? new ApiError('share_used_up', ofAgent) : new ApiError('proxy_overloaded');
}
