import { escapeJson } from '@agp/core/text';
import { type DestinationStream, type Logger, pino } from 'pino';
import { boundFields } from './bound-fields.ts';

export type { Logger } from 'pino';

/**
 * A JSON logger to standard output. Nothing that a caller sent is logged unless a call site names it, and then it is bounded, without
 * credentials, and in characters that can be seen. Messages are our own words: what varies is a field.
 *
 * @param destination takes the lines instead of standard output
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: boundFields },
    },
    escapeLines(destination ?? pino.destination(1)),
  );
}

/** JSON escapes C0 controls alone: a terminal obeys others too. */
function escapeLines(destination: DestinationStream & { flushSync?: () => void }): DestinationStream {
  return {
    write: (line) => destination.write(escapeJson(line)),
    // For the last words of a process that ends.
    ...(destination.flushSync && { flushSync: () => destination.flushSync?.() }),
  } as DestinationStream;
}
