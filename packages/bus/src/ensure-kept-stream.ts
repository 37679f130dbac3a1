import { DiscardPolicy, type JetStreamManager, nanos, RetentionPolicy, StorageType } from 'nats';
import type { EventStreamOptions } from './ensure-event-stream.ts';
import { keptStream, keptSubject } from './names.ts';

/**
 * Of both streams. Whoever may publish an event may name any subject for the server's answer, where the server then publishes as itself: to
 * `$JS.API.STREAM.PURGE.AGP_EVENTS` as well, and the stream of a stolen proxy's password would be emptied. So nobody may purge it, or delete
 * messages out of it. Once set it stays set; acknowledging, discarding and removing the whole stream go on.
 */
export const undeletable = { deny_purge: true, deny_delete: true };

/**
 * Makes the stream that keeps events for a replay, or brings it to this shape, or removes it where none are to be kept. Unlike the
 * event stream it discards what is too old, or too much.
 *
 * @returns why it could not; null where it could
 */
export async function ensureKeptStream(manager: JetStreamManager, options: EventStreamOptions): Promise<string | null> {
  const keepMs = options.keepMs ?? 0;
  const isKnown = await manager.streams.info(keptStream).then(
    () => true,
    () => false,
  );
  const stream = {
    subjects: [keptSubject],
    max_age: nanos(keepMs),
    max_bytes: options.maxBytes,
    num_replicas: options.replicas,
    ...undeletable,
  };
  const fixed = { retention: RetentionPolicy.Limits, storage: StorageType.File, discard: DiscardPolicy.Old };
  try {
    if (keepMs === 0 && isKnown) await manager.streams.delete(keptStream);
    else if (isKnown) await manager.streams.update(keptStream, stream);
    else if (keepMs > 0) await manager.streams.add({ name: keptStream, ...stream, ...fixed });
    return null;
  } catch (error) {
    return `events are not kept for a replay: ${error instanceof Error ? error.message : String(error)}`;
  }
}
