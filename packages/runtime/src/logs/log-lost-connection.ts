import { describeFailure } from './describe-failure.ts';
import type { Logger } from './logger.ts';

/** Logs that a connection of the pool broke, and why. The pool opens another when it needs one. */
export function logLostConnection(logger: Logger): (error: Error) => void {
  return (error) => logger.warn({ error: describeFailure(error) }, 'lost a connection to Postgres');
}
