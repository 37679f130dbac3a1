import type { Logger } from '../logs/logger.ts';
import { findStrangeVariables } from './find-strange-variables.ts';

/** Warns of each variable that looks like ours and that nothing reads, with the one that was probably meant. */
export function warnOfStrangeVariables(environment: NodeJS.ProcessEnv, logger: Logger): void {
  for (const { name, meant } of findStrangeVariables(environment))
    logger.warn({ variable: name, meant: meant ?? undefined }, 'nothing reads this variable: is its name misspelt?');
}
