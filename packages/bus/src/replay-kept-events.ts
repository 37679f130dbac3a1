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
import { unpackEvents, writeHeaders } from './parcel.ts';
import { eventSubject, findStream, keptStream, replayConsumer } from './streams.ts';

interface Replay {
  first: number;
  last: number;
  messages: number;
  events: number;
  copies: number;
  notKept: number;
  /** The time from which everything is kept, if that is later than the time asked for. */
  keptFrom: Date | null;
}

class NothingKeptError extends Error {
  readonly code = 'nothing_kept';
}

const batchSize = 64;
const fetchWaitMs = 5_000;
const fetchTries = 3;
const roomTries = 90;
const abandonedAfterMs = 180_000;
/** NATS finds a time by its own clock, which may differ from the caller's, or have been set back since. */
const clockSlackMs = 5 * 60_000;

/**
 * Publishes again the events that came since a time, and some minutes before; writers skip recorded ones. It ends with the last
 * message that was kept at its start, and leaves out copies from an earlier replay. Safe to repeat.
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
      if (batch.length === 0) skipTo(last + 1, new Date(kept.state.last_ts));
    }
  } finally {
    await removeConsumer(manager);
  }
  return replay;
}

const removeConsumer = (manager: JetStreamManager) =>
  manager.consumers.delete(keptStream, replayConsumer).catch(() => false);

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
 * Reads at least one kept message from a sequence on, unless all up to `seq + count` are discarded. NATS does not send again what arrived
 * after its request had ended, so each call makes the consumer anew and takes only what comes without a gap.
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

async function readKept(manager: JetStreamManager): Promise<StreamInfo> {
  const kept = await findStream(manager, keptStream);
  if (kept === null) throw new NothingKeptError(`NATS has no stream ${keptStream}: no events are kept`);
  return kept;
}

function readCopiedSeq(id: string | undefined, prefix: string): number | null {
  return id?.startsWith(prefix) ? Number.parseInt(id.slice(prefix.length), 10) : null;
}

function findKeptFrom({ created, state }: StreamInfo, since: Date): Date | null {
  let from = new Date(created);
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
