import type { DeliveredEvent } from '@agp/bus';
import { toEventText } from '@agp/core/events';
import { fromPublicId } from '@agp/core/ids';
import { parseJson } from '@agp/core/json';
import { type Db, quarantineMessages } from '@agp/db';
import { keepTrying, type Logger } from '@agp/runtime';
import { maxMessageId, maxReason } from './limits.ts';
import type { WriterMetrics } from './metrics.ts';

export interface Unrecordable {
  delivered: DeliveredEvent;
  code: string;
  reason: string;
}

export type Quarantine = (messages: readonly Unrecordable[]) => Promise<void>;

interface QuarantineOptions {
  db: Db;
  metrics: WriterMetrics;
  logger: Logger;
  signal: AbortSignal;
  onFailure: (error: unknown) => void;
}

export function makeQuarantine({ db, metrics, logger, signal, onFailure }: QuarantineOptions): Quarantine {
  return async (messages) => {
    const rows = messages.map(({ delivered, code, reason }) => ({
      messageId: delivered.messageId === null ? null : toEventText(delivered.messageId, maxMessageId),
      code,
      reason: toEventText(reason, maxReason),
      bytes: delivered.bytes,
    }));
    await keepTrying(() => quarantineMessages(db, rows), { signal, onFailure });
    for (const [index, { messageId, code }] of rows.entries()) {
      const eventId = readEventId(messages[index]?.delivered);
      metrics.quarantined.inc({ code });
      // Neither the bytes nor Postgres' message, which quotes them.
      logger.error({ messageId, eventId, code }, 'message set aside');
    }
  };
}

/** The event's id, if it can be read from the message. */
function readEventId(delivered: DeliveredEvent | undefined): string | undefined {
  try {
    const { id } = parseJson(delivered?.bytes ?? '') as { id?: unknown };
    return typeof id === 'string' && fromPublicId('evt', id) !== null ? id : undefined;
  } catch {
    return undefined;
  }
}
