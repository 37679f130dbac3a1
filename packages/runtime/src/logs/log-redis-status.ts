import { describeFailure } from './describe-failure.ts';
import type { Logger } from './logger.ts';

/** Says in the log when Redis cannot be used, and why: it may be away, or not let this user in. */
export function logRedisStatus(logger: Logger): (status: 'unreachable' | 'ready', error?: Error) => void {
  return (status, error) => {
    if (status === 'ready') logger.warn({ status }, 'Redis is back');
    else logger.warn({ status, error: describeFailure(error) }, 'Redis cannot be used; it is tried again');
  };
}
