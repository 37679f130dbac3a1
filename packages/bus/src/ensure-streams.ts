import {
  AckPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import { eventStream, eventSubject, keptStream, keptSubject, writerConsumer } from './names.ts';

const noSuchStream = 10_059;

export function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  return manager.streams.info(name).catch((error: unknown) => {
    if (error instanceof NatsError && error.api_error?.err_code === noSuchStream) return null;
    throw error;
  });
}

export interface EventStreamOptions {
  replicas: number;
  /** In bytes on disk; beyond it publishing fails, and nothing old is deleted. */
  maxBytes: number;
  /** How long events are kept for a replay, in milliseconds, in a second stream of the same size; 0 keeps none. */
  keepMs?: number;
  ackWaitMs?: number;
}

/** Else a stolen proxy's password could empty a stream: the server publishes to a message's reply subject with its own rights. */
const undeletable = { deny_purge: true, deny_delete: true };

/** Makes, updates, or (with `keepMs` 0) removes the stream of kept events, which discards its oldest. Returns why it failed, or null. */
async function ensureKeptStream(manager: JetStreamManager, options: EventStreamOptions): Promise<string | null> {
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

export const ackWaitMs = 30_000;

const maxUnacknowledged = 10_000;

const duplicateWindowMs = 120_000;

/** A full stream refuses new messages and discards none. Returns why events cannot be kept for a replay although they should be. */
export async function ensureEventStream(
  connection: NatsConnection,
  options: EventStreamOptions,
): Promise<string | null> {
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
  // NATS 2.9.10 refuses to add copies to a stream that was made without.
  return manager.streams.update(eventStream, { republish }).then(
    () => null,
    (error: Error) => `events are not kept for a replay: ${error.message}`,
  );
}

/** Kept events first: proxies send as soon as the event stream is there. If there is no room for both, the event stream has it. */
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
