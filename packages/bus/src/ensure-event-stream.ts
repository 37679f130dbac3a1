import { AckPolicy, DiscardPolicy, type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats';
import { ensureKeptStream, undeletable } from './ensure-kept-stream.ts';
import { eventStream, eventSubject, keptSubject, writerConsumer } from './names.ts';

export interface EventStreamOptions {
  /** Copies in a NATS cluster; 1 on a single server. */
  replicas: number;
  /** What the stream may hold on disk, in bytes; beyond it publishing fails and nothing old is deleted. */
  maxBytes: number;
  /** How long events are kept for a replay, in milliseconds, in a stream that takes as much disk again; 0, the default, keeps none. */
  keepMs?: number;
  /** How long a writer may hold a message, in milliseconds; {@link ackWaitMs} by default. */
  ackWaitMs?: number;
}

/** How long a writer may hold a message before JetStream gives it to another, in milliseconds. */
export const ackWaitMs = 30_000;

/** Messages that the writers may hold unacknowledged together (interface.md section 8). */
export const maxUnacknowledged = 10_000;

const duplicateWindowMs = 120_000;

/**
 * Makes the stream and the writers' consumer, or brings them to this shape. A message leaves the stream when it
 * is acknowledged, and never before: a full stream refuses new messages, it does not discard old ones.
 *
 * @returns why no events are kept for a replay although they should be; null where all is well
 */
export async function ensureEventStream(
  connection: NatsConnection,
  options: EventStreamOptions,
): Promise<string | null> {
  // Its check of the account is something that the writer's user may not ask for.
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const stream = {
    subjects: [eventSubject],
    max_bytes: options.maxBytes,
    num_replicas: options.replicas,
    duplicate_window: nanos(duplicateWindowMs),
    ...undeletable,
  };
  const fixed = { retention: RetentionPolicy.Workqueue, storage: StorageType.File, discard: DiscardPolicy.New };
  const republish = { src: eventSubject, dest: keptSubject };
  const known = await manager.streams.info(eventStream).catch(() => null);
  if (known === null) await manager.streams.add({ name: eventStream, ...stream, ...fixed, republish });
  else await manager.streams.update(eventStream, stream);
  await manager.consumers.add(eventStream, {
    durable_name: writerConsumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(options.ackWaitMs ?? ackWaitMs),
    max_ack_pending: maxUnacknowledged,
  });
  // Last, with the room that is left: it is for a disaster, and what is wrong with it must not keep events from being recorded.
  const notKept = await ensureKeptStream(manager, options);
  if (notKept !== null || known === null || known.config.republish !== undefined || !options.keepMs) return notKept;
  // A stream of a version that did not know this. An old server (2.9.10) refuses.
  return manager.streams.update(eventStream, { republish }).then(
    () => null,
    (error: Error) => `events are not kept for a replay: ${error.message}`,
  );
}
