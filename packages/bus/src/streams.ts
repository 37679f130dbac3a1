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

export const eventStream = 'AGP_EVENTS';

export const eventSubject = 'agp.events.proxied';

/** Keeps events for a while after they are recorded, for a database that has to be restored. */
export const keptStream = 'AGP_EVENTS_KEPT';

/** The server copies every message of the event stream here; nobody publishes or listens. */
export const keptSubject = 'agp.events.kept';

export const replayConsumer = 'replay';

export const writerConsumer = 'writer';

/** Writers announce each recorded batch here, on core NATS; management serves it as SSE. */
export const announcementSubject = 'agp.events.recorded';

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

export interface Backlog {
  pending: number;
  unacknowledged: number;
  /** Age of the oldest message that is not acknowledged, in milliseconds; 0 without one. */
  oldestMs: number;
  /** The used part of the stream's disk space; at 1 JetStream refuses events. */
  usedRatio: number;
}

export const readBacklog = (connection: NatsConnection): Promise<Backlog> => makeReadBacklog(connection)();

/** In times of `ack_wait`: after that a delivered message no longer counts, since a killed NATS 2.9.10 may keep one for ever. */
const believedWaits = 3;
const nanosPerMs = 1e6;

const maxLooks = 1_000;

/** Repeated looks know the oldest message's age better: the age of the stream's first is only an upper bound. */
export function makeReadBacklog(connection: NatsConnection): () => Promise<Backlog> {
  // What has a number above `lastSeq` came after `at`, on the monotonic clock.
  let looks: { lastSeq: number; at: number }[] = [];
  return async () => {
    const at = performance.now();
    const manager = await connection.jetstreamManager({ checkAPI: false });
    const [info, { state, config }] = await Promise.all([
      manager.consumers.info(eventStream, writerConsumer),
      manager.streams.info(eventStream),
    ]);
    // What is not acknowledged came after the latest look that is acknowledged whole by now.
    const before = looks.findLastIndex(({ lastSeq }) => lastSeq <= info.ack_floor.stream_seq);
    const age = Math.min(Date.now() - Date.parse(state.first_ts), at - (looks[before]?.at ?? Number.NEGATIVE_INFINITY));
    looks = [...looks.slice(Math.max(0, before)), { lastSeq: state.last_seq, at }];
    if (looks.length > maxLooks) looks = looks.filter((_, index) => index % 2 === 0);
    const isUnread = info.num_pending + info.num_ack_pending > 0;
    const believedMs =
      info.num_pending > 0 ? Number.POSITIVE_INFINITY : (believedWaits * (info.config.ack_wait ?? 0)) / nanosPerMs;
    return {
      pending: info.num_pending,
      unacknowledged: info.num_ack_pending,
      oldestMs: isUnread ? Math.max(0, Math.min(age, believedMs)) : 0,
      usedRatio: state.bytes / config.max_bytes,
    };
  };
}
