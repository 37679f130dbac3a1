import { type Logger, logSparsely } from '@agp/runtime';
import type { UnscannedText } from '../metering/scan-request.ts';

/** What may go wrong with every request at once. Each is one line in a while, which says how many were held back. */
export function createWarnings(logger: Logger) {
  return {
    tracesLost: logSparsely(({ message }: Error, heldBack) =>
      logger.warn({ error: message, heldBack }, 'traces cannot be sent; they are lost'),
    ),
    refusalsKept: logSparsely(({ message }: Error, heldBack) =>
      logger.warn(
        { error: message, heldBack },
        'refused requests are not in the audit log yet; they are kept and tried again',
      ),
    ),
    doubtsKept: logSparsely(({ message }: Error, heldBack) =>
      logger.warn({ error: message, heldBack }, 'calls with doubtful figures are not stored yet; they are tried again'),
    ),
    sessionsAlone: logSparsely(({ message }: Error, heldBack) =>
      logger.warn({ error: message, heldBack }, 'idle sessions are kept by this process alone'),
    ),
    budgetsAlone: logSparsely(({ message }: Error, heldBack) =>
      logger.warn({ error: message, heldBack }, 'budgets are kept by this process alone'),
    ),
    storageUnreadable: logSparsely(({ message }: Error, heldBack) =>
      logger.error({ error: message, heldBack }, 'storage cannot be read: requests are refused'),
    ),
    eventLost: logSparsely((_: null, heldBack) => logger.error({ heldBack }, 'the outbox is full: an event was lost')),
    eventsRefused: logSparsely((description: string, heldBack) =>
      logger.error({ description, heldBack }, 'JetStream refuses events; they are sent again'),
    ),
    textUnscanned: logSparsely((missed: UnscannedText, heldBack) =>
      logger.warn({ ...missed, heldBack }, 'text was not scanned for PII'),
    ),
  };
}
