import { escapeJson } from '@agp/core/text';
import { type DestinationStream, type Logger, pino } from 'pino';
import { boundFields } from './bound-fields.ts';

export type { Logger } from 'pino';

/**
 * A JSON logger to standard output. Data from callers is logged only in fields that a call site names, bounded, without credentials
 * and with control characters escaped. Messages are constant texts: anything that varies is a field.
 *
 * @param destination used instead of standard output
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

/** JSON escapes only C0 control characters, and terminals obey others too. */
function escapeLines(destination: DestinationStream & { flushSync?: () => void }): DestinationStream {
  return {
    write: (line) => destination.write(escapeJson(line)),
    // Flushes the last lines of a process that ends.
    ...(destination.flushSync && { flushSync: () => destination.flushSync?.() }),
  } as DestinationStream;
}
