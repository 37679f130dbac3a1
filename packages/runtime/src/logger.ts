import { escapeJson, toLineText } from '@agp/core/text';
import { hideCredentials } from '@agp/pii/hide-credentials';
import { type DestinationStream, type Logger, pino } from 'pino';

const maxText = 4_000;
const maxTexts = 12_000;
const maxEntries = 100;
const maxDepth = 5;

/** Bounds the length of texts, each and in all, and shows the kind of a credential instead of its value. `eventId` becomes `event_id`. */
function boundFields(fields: Record<string, unknown>): Record<string, unknown> {
  let left = maxTexts;

  function boundText(text: string): string {
    // More is searched than is shown, or a credential that is cut in two would not be found.
    const hidden = hideCredentials(text.length > 2 * maxText ? text.slice(0, 2 * maxText) : text);
    const shown = hidden.slice(0, Math.min(maxText, left));
    left -= shown.length;
    return shown.length < hidden.length || text.length > 2 * maxText ? `${shown}... (${text.length} in all)` : shown;
  }

  function bound(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return boundText(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Error) return boundText(value.stack ?? String(value));
    if (depth > maxDepth) return '...';
    if (value instanceof Date) return value;
    if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => bound(entry, depth + 1));
    return boundEntries(value as Record<string, unknown>, (name) => boundText(name), depth + 1);
  }

  function boundEntries(from: Record<string, unknown>, rename: (name: string) => string, depth: number) {
    const entries = Object.entries(from).slice(0, maxEntries);
    return Object.fromEntries(entries.map(([name, value]) => [rename(name), bound(value, depth)]));
  }

  return boundEntries(fields, toSnakeCase, 0);
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export type { Logger } from 'pino';

/** Data from callers is logged only in fields, bounded and without credentials; messages are constant texts. */
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

function escapeLines(destination: DestinationStream & { flushSync?: () => void }): DestinationStream {
  return {
    write: (line) => destination.write(escapeJson(line)),
    // The last lines of a process that ends must be written.
    ...(destination.flushSync && { flushSync: () => destination.flushSync?.() }),
  } as DestinationStream;
}

/** The innermost cause in one line, without credentials; of several addresses the first's. */
export function describeFailure(error: unknown): string {
  return toLineText(hideCredentials(findMessage(error).slice(0, 4_000)));
}

function findMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return findMessage(error.errors[0]);
  return error.cause instanceof Error ? findMessage(error.cause) : error.message;
}

/** Logs only the first call of an interval in milliseconds, with the number of calls held back since the one before. */
export function logSparsely<Detail>(
  log: (detail: Detail, heldBack: number) => void,
  intervalMs = 10_000,
  now: () => number = () => performance.now(),
): (detail: Detail) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let heldBack = 0;
  return (detail) => {
    if (now() - lastAt < intervalMs) {
      heldBack += 1;
      return;
    }
    lastAt = now();
    log(detail, heldBack);
    heldBack = 0;
  };
}

/** Logs errors so, with the same message. */
export const logErrorsSparsely = (logger: Logger, level: 'warn' | 'error', message: string) =>
  logSparsely(({ message: error }: Error, heldBack) => logger[level]({ error, heldBack }, message));

export function logLostConnection(logger: Logger): (error: Error) => void {
  return (error) => logger.warn({ error: describeFailure(error) }, 'lost a connection to Postgres');
}

export function logRedisStatus(logger: Logger): (status: 'unreachable' | 'ready', error?: Error) => void {
  return (status, error) => {
    if (status === 'ready') logger.warn({ status }, 'Redis is back');
    else logger.warn({ status, error: describeFailure(error) }, 'Redis cannot be used; it is tried again');
  };
}
