import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  NatsError,
  nanos,
  type StreamInfo,
} from 'nats';
import type { BusConnection } from './connect.ts';
import { findStream } from './ensure-streams.ts';
import { eventSubject, keptStream, replayConsumer } from './names.ts';
import { unpackEvents, writeHeaders } from './parcel.ts';

/**
 * The outcome for each message of the kept stream from sequence `first` to `last`: `messages`, `copies` and `notKept` add up to
 * their number.
 */
interface Replay {
  first: number;
  last: number;
  /** Published again. */
  messages: number;
  /** The events in those messages. */
  events: number;
  /** Left out, being copies of messages handled before them. */
  copies: number;
  /** Discarded by NATS before they were read. */
  notKept: number;
  /** The time from which everything is kept, where that is later than the time asked for; null otherwise. */
  keptFrom: Date | null;
}

/** No stream keeps events: EVENT_KEEP_HOURS is 0, or no writer has made the stream yet. */
class NothingKeptError extends Error {
  readonly code = 'nothing_kept';
}

/** At most this many messages are read, or published and not yet confirmed, at once. */
const batchSize = 64;
const fetchWaitMs = 5_000;
/** How often the same message is asked for before the replay fails. */
const fetchTries = 3;
const roomTries = 90;
/** Longer than a replay waits for room. */
const abandonedAfterMs = 180_000;
/** NATS finds a time by its own clock, which may differ from the caller's, or have been set back since. */
const clockSlackMs = 5 * 60_000;

/**
 * Publishes again the events that came since a time; writers skip those that are recorded already. It begins some minutes earlier,
 * and ends with the last message that was kept at its start, since the messages that it publishes are kept too. Copies from an
 * earlier replay are left out if their original is still kept. Safe to repeat.
 *
 * @throws NothingKeptError
 */
export async function replayKeptEvents(
  connection: BusConnection,
  since: Date,
  slackMs: number = clockSlackMs,
): Promise<Replay> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  await readKept(manager);
  const { delivered } = await placeConsumer(manager, {
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: new Date(since.getTime() - slackMs).toISOString(),
  });
  // Read after the consumer has its place, or messages discarded in between would go unnoticed.
  const kept = await readKept(manager);
  const first = delivered.stream_seq + 1;
  const last = kept.state.messages === 0 ? delivered.stream_seq : kept.state.last_seq;
  const keptFrom = findKeptFrom(kept, since);
  const replay: Replay = { first, last, messages: 0, events: 0, copies: 0, notKept: 0, keptFrom };
  const jetstream = connection.jetstream();
  // The id of a copy is its original's with a fresh suffix, or JetStream would drop it as a duplicate.
  const prefix = `replay-of-${kept.created}-`;
  const run = randomUUID();
  let next = first;
  // Every message between `readFrom` and `next` was published or left out as a copy; none was discarded.
  let readFrom = first;
  const skipTo = (seq: number, time: Date) => {
    replay.notKept += Math.min(seq, last + 1) - next;
    if (time > since) replay.keptFrom = time;
    readFrom = seq;
    next = seq;
  };
  try {
    while (next <= last) {
      const sent: Promise<void>[] = [];
      const batch = await readFromSeq(manager, jetstream, next, Math.min(batchSize, last - next + 1));
      for (const message of batch) {
        const { seq } = message;
        if (seq > next) skipTo(seq, new Date(message.info.timestampNanos / 1e6));
        if (seq > last) break;
        next = seq + 1;
        const copied = readCopiedSeq(message.headers?.get('Nats-Msg-Id'), prefix);
        if (copied !== null && copied >= readFrom && copied < seq) {
          replay.copies += 1;
          continue;
        }
        sent.push(publishWhenThereIsRoom(jetstream, message, `${prefix}${seq}-${run}`));
        replay.messages += 1;
        replay.events += unpackEvents(message.data).length;
      }
      await Promise.all(sent);
      // All that was left has been discarded.
      if (batch.length === 0) skipTo(last + 1, new Date(kept.state.last_ts));
    }
  } finally {
    await removeConsumer(manager);
  }
  return replay;
}

const removeConsumer = (manager: JetStreamManager) =>
  manager.consumers.delete(keptStream, replayConsumer).catch(() => false);

/** Deletes and makes the consumer of a replay: an earlier one may have another position, or be left over from a killed replay. */
async function placeConsumer(
  manager: JetStreamManager,
  start: Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq' | 'opt_start_time'>,
): Promise<ConsumerInfo> {
  await removeConsumer(manager);
  return manager.consumers.add(keptStream, {
    name: replayConsumer,
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(abandonedAfterMs),
    ...start,
  });
}

/**
 * Reads kept messages in order from a sequence on: at least one, unless all up to `seq + count` are discarded. NATS counts a
 * message as delivered even if it arrives after its request has ended, and does not send it again, so each call makes the consumer
 * anew at `seq`, and takes only what comes without a gap in the consumer's own count.
 *
 * @throws Error if messages that are kept do not arrive
 */
async function readFromSeq(
  manager: JetStreamManager,
  jetstream: JetStreamClient,
  seq: number,
  count: number,
): Promise<JsMsg[]> {
  for (let attempt = 1; attempt <= fetchTries; attempt += 1) {
    await placeConsumer(manager, { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: seq });
    const consumer = await jetstream.consumers.get(keptStream, replayConsumer);
    const messages: JsMsg[] = [];
    for await (const message of await consumer.fetch({ max_messages: count, expires: fetchWaitMs })) {
      if (message.info.deliverySequence !== messages.length + 1) break;
      messages.push(message);
    }
    if (messages.length > 0) return messages;
    const { state } = await readKept(manager);
    if (state.messages === 0 || state.first_seq >= seq + count) return [];
  }
  throw new Error(`NATS is too slow to read from: message ${seq} of ${keptStream} did not come; run it again`);
}

/** @throws NothingKeptError */
async function readKept(manager: JetStreamManager): Promise<StreamInfo> {
  const kept = await findStream(manager, keptStream);
  if (kept === null) throw new NothingKeptError(`NATS has no stream ${keptStream}: no events are kept`);
  return kept;
}

/** The sequence of the message that this one is a copy of; null for an original, and for a copy from an earlier stream. */
function readCopiedSeq(id: string | undefined, prefix: string): number | null {
  return id?.startsWith(prefix) ? Number.parseInt(id.slice(prefix.length), 10) : null;
}

/** The time from which the stream keeps everything, if that is later than `since`; null otherwise. */
function findKeptFrom({ created, state }: StreamInfo, since: Date): Date | null {
  // Nothing was kept before the stream was made.
  let from = new Date(created);
  // An empty stream has no time of its first message.
  if (state.first_seq > 1) from = new Date(state.messages === 0 ? state.last_ts : state.first_ts);
  return from > since ? from : null;
}

/** The event stream refuses messages while it is full, until the writers have taken some. */
async function publishWhenThereIsRoom(jetstream: JetStreamClient, message: JsMsg, msgID: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await jetstream.publish(eventSubject, message.data, { headers: writeHeaders(msgID) });
      return;
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error === undefined || attempt === roomTries) throw error;
      await setTimeout(1_000);
    }
  }
}
