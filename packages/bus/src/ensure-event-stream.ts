import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import { type EventStreamOptions, ensureKeptStream, undeletable } from './ensure-kept-stream.ts';
import { findStream } from './find-stream.ts';
import { eventStream, eventSubject, keptStream, keptSubject, writerConsumer } from './names.ts';

/** How long a writer may hold a message before JetStream gives it to another, in milliseconds. */
export const ackWaitMs = 30_000;

/** Messages that all writers together may hold unacknowledged. */
export const maxUnacknowledged = 10_000;

const duplicateWindowMs = 120_000;

/**
 * Makes the stream and the writers' consumer, or updates them. A message leaves the stream only when it is acknowledged: a full stream
 * refuses new messages and discards none.
 *
 * @returns the reason if events cannot be kept for a replay although they should be; null otherwise
 */
export async function ensureEventStream(
  connection: NatsConnection,
  options: EventStreamOptions,
): Promise<string | null> {
  // The writer's user may not ask for the account's information.
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
  const known = await findStream(manager, eventStream);
  let notKept: string | null;
  if (known === null)
    notKept = await addStreams(manager, options, { name: eventStream, ...stream, ...fixed, republish });
  else {
    await manager.streams.update(eventStream, stream);
    notKept = await ensureKeptStream(manager, options);
  }
  await manager.consumers.add(eventStream, {
    durable_name: writerConsumer,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(options.ackWaitMs ?? ackWaitMs),
    max_ack_pending: maxUnacknowledged,
  });
  if (notKept !== null || known === null || known.config.republish !== undefined || !options.keepMs) return notKept;
  // The stream was made without copies. An old server (2.9.10) refuses to add them.
  return manager.streams.update(eventStream, { republish }).then(
    () => null,
    (error: Error) => `events are not kept for a replay: ${error.message}`,
  );
}

/**
 * Adds the stream of kept events before the event stream: proxies send what they hold as soon as that is there, and all of it is to be
 * kept. Where there is no room for both, the event stream has it: a problem with the copies must not keep events from being recorded.
 *
 * @returns the reason if events cannot be kept although they should be; null otherwise
 */
async function addStreams(
  manager: JetStreamManager,
  options: EventStreamOptions,
  stream: Partial<StreamConfig> & { name: string },
): Promise<string | null> {
  const wasThere = (await findStream(manager, keptStream)) !== null;
  const notKept = await ensureKeptStream(manager, options);
  try {
    await manager.streams.add(stream);
    return notKept;
  } catch (error) {
    // One that was there before holds events, and so does one beside an event stream that another writer has made meanwhile.
    const isMade = (await findStream(manager, eventStream)) !== null;
    if (isMade || wasThere || notKept !== null || !options.keepMs) throw error;
    await manager.streams.delete(keptStream);
    await manager.streams.add(stream);
    return `events are not kept for a replay: ${(error as Error).message}`;
  }
}
