import { ApiError } from '@agp/core/errors';
import type { Full } from '@agp/runtime/fairness';

/** The refusal of what has no room: by the agent's own doing, or since there is none for anybody. */
export function refuseShare(full: Full, ofAgent: string): ApiError {
  return full === 'agent' ? new ApiError('share_used_up', ofAgent) : new ApiError('proxy_overloaded');
}
