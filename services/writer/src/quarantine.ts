import type { DeliveredEvent } from '@agp/bus';
import { toEventText } from '@agp/core/events';
import { type Db, quarantineMessages } from '@agp/db';
import { keepTrying, type Logger } from '@agp/runtime';
import type { WriterMetrics } from './metrics.ts';

/** A message that can never be recorded. */
export interface Unrecordable {
  delivered: DeliveredEvent;
  code: string;
  reason: string;
}

/** Sets messages aside, with their bytes. */
export type Quarantine = (messages: readonly Unrecordable[]) => Promise<void>;

export interface QuarantineOptions {
  db: Db;
  metrics: WriterMetrics;
  logger: Logger;
  signal: AbortSignal;
  onFailure: (error: unknown) => void;
}

const maxReason = 1_000;
const maxMessageId = 256;

export function makeQuarantine({ db, metrics, logger, signal, onFailure }: QuarantineOptions): Quarantine {
  return async (messages) => {
    const rows = messages.map(({ delivered, code, reason }) => ({
      messageId: delivered.messageId === null ? null : toEventText(delivered.messageId, maxMessageId),
      code,
      reason: toEventText(reason, maxReason),
      bytes: delivered.bytes,
    }));
    await keepTrying(() => quarantineMessages(db, rows), { signal, onFailure });
    for (const { messageId, code } of rows) {
      metrics.quarantined.inc({ code });
      // Neither the bytes nor Postgres' words, which quote them.
      logger.error({ messageId, code }, 'message set aside');
    }
  };
}
