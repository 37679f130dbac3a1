import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** A JSON logger to standard output. Nothing that a caller sent is logged unless a call site names it. */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
