import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * A JSON logger to standard output. Nothing that a caller sent is logged unless a call site names it. Fields are written as
 * the API names its own: `eventId` becomes `event_id`.
 *
 * @param destination takes the lines instead of standard output
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: writeSnakeCase },
    },
    destination ?? pino.destination(1),
  );
}

function writeSnakeCase(fields: Record<string, unknown>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    written[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  }
  return written;
}
