import { randomUUID } from 'node:crypto';
import { announce as announceBatch, type NatsConnection } from '@agp/bus';
import { type AnnouncedEvent, toAnnouncedEvent } from '@agp/core/events';
import type { RecordedEvent, RecordedEvents } from '@agp/db';
import { keepTrying } from '@agp/runtime';
import { maxAnnouncedBytes } from './limits.ts';

/** Announces events that were recorded before, too: their announcement may have been lost. */
export type Announce = (batch: RecordedEvents) => Promise<void>;

interface AnnounceOptions {
  connection: NatsConnection;
  signal: AbortSignal;
  onFailure: (error: unknown) => void;
}

/** An announced event without its model and kinds of PII. */
const fixedBytes = 1_024;
/** A UTF-16 unit in JSON: at most `\u001f`. */
const bytesPerUnit = 6;

/** Retries until the server has each message. A failed try uses up its number, so subscribers see a gap. */
export function makeAnnounce({ connection, signal, onFailure }: AnnounceOptions): Announce {
  const announcer = randomUUID();
  let next = 0;
  return async ({ recorded, known }) => {
    for (const events of splitBySize([...recorded, ...known])) {
      await keepTrying(() => announceBatch(connection, { announcer, announcer_seq: next++, events }), {
        signal,
        onFailure,
      });
    }
  };
}

function splitBySize(batch: readonly RecordedEvent[]): AnnouncedEvent[][] {
  const parts: AnnouncedEvent[][] = [];
  let left = 0;
  for (const { event: message, lineageHash } of batch) {
    const event = toAnnouncedEvent(message, lineageHash);
    const texts = event.model.length + event.pii_types.reduce((sum, type) => sum + type.length + 1, 0);
    const size = fixedBytes + bytesPerUnit * texts;
    if (size > left) {
      parts.push([]);
      left = maxAnnouncedBytes;
    }
    parts.at(-1)?.push(event);
    left -= size;
  }
  return parts;
}
