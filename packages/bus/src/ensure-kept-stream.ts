import { DiscardPolicy, type JetStreamManager, nanos, RetentionPolicy, StorageType } from 'nats';
import { findStream } from './find-stream.ts';
import { keptStream, keptSubject } from './names.ts';

export interface EventStreamOptions {
  /** Copies in a NATS cluster; 1 on a single server. */
  replicas: number;
  /** The most that the stream may hold on disk, in bytes; beyond it publishing fails, and nothing old is deleted. */
  maxBytes: number;
  /** How long events are kept for a replay, in milliseconds, in a second stream of the same size. Default 0: none are kept. */
  keepMs?: number;
  /** How long a writer may hold a message, in milliseconds; 30 seconds by default. */
  ackWaitMs?: number;
}

/**
 * For both streams: nobody may purge them or delete single messages. A client that may publish an event may name any subject for the
 * server's reply, and the server publishes there with its own rights: with a stolen proxy's password, a reply to
 * `$JS.API.STREAM.PURGE.AGP_EVENTS` would empty the stream. Cannot be unset. Acknowledging, discarding and removing the whole stream
 * still work.
 */
export const undeletable = { deny_purge: true, deny_delete: true };

/**
 * Makes, updates, or (with `keepMs` 0) removes the stream that keeps events for a replay. Unlike the event stream it discards its oldest
 * messages.
 *
 * @returns the reason if it failed; null otherwise
 */
export async function ensureKeptStream(manager: JetStreamManager, options: EventStreamOptions): Promise<string | null> {
  const keepMs = options.keepMs ?? 0;
  const stream = {
    subjects: [keptSubject],
    max_age: nanos(keepMs),
    max_bytes: options.maxBytes,
    num_replicas: options.replicas,
    ...undeletable,
  };
  const fixed = { retention: RetentionPolicy.Limits, storage: StorageType.File, discard: DiscardPolicy.Old };
  try {
    const isKnown = (await findStream(manager, keptStream)) !== null;
    if (keepMs === 0 && isKnown) await manager.streams.delete(keptStream);
    else if (isKnown) await manager.streams.update(keptStream, stream);
    else if (keepMs > 0) await manager.streams.add({ name: keptStream, ...stream, ...fixed });
    return null;
  } catch (error) {
    return `events are not kept for a replay: ${error instanceof Error ? error.message : String(error)}`;
  }
}
