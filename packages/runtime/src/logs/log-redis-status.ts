import { describeFailure } from './describe-failure.ts';
import type { Logger } from './logger.ts';

/** Logs when Redis cannot be used, and why: it is away, or refuses this user. */
export function logRedisStatus(logger: Logger): (status: 'unreachable' | 'ready', error?: Error) => void {
  return (status, error) => {
    if (status === 'ready') logger.warn({ status }, 'Redis is back');
    else logger.warn({ status, error: describeFailure(error) }, 'Redis cannot be used; it is tried again');
  };
}
