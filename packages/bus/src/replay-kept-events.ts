import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  NatsError,
  nanos,
  type StreamInfo,
} from 'nats';
import type { BusConnection } from './connect.ts';
import { eventSubject, keptStream, replayConsumer } from './names.ts';
import { unpackEvents } from './parcel.ts';

export interface Replay {
  messages: number;
  events: number;
  /** Where not all is kept that was asked for, from when on it is; null where nothing is known to be missing. */
  keptFrom: Date | null;
}

/** No stream keeps events: they are not to be kept, or no writer has made it yet. */
export class NothingKeptError extends Error {
  readonly code = 'nothing_kept';
}

/** Published and not yet confirmed at once. */
const maxSent = 64;
const fetchWaitMs = 5_000;
const roomTries = 90;
/** Longer than it waits for room. */
const abandonedAfterMs = 180_000;
const noSuchStream = 10_059;

/**
 * Publishes the events that came since a time again, for the writers: those that are recorded already they pass over. It goes as
 * far as what is kept when it begins, since what it publishes is kept again. What an earlier replay published it leaves out where
 * the message that this was a copy of is kept still, and comes since then too. Safe to repeat.
 */
export async function replayKeptEvents(connection: BusConnection, since: Date): Promise<Replay> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  await readKept(manager);
  // One that was killed may have left its consumer.
  await manager.consumers.delete(keptStream, replayConsumer).catch(() => false);
  const { delivered } = await manager.consumers.add(keptStream, {
    name: replayConsumer,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
    inactive_threshold: nanos(abandonedAfterMs),
  });
  // After the consumer has its place, or what is discarded in between would be missed by nobody.
  const kept = await readKept(manager);
  const replay: Replay = { messages: 0, events: 0, keptFrom: findKeptFrom(kept, since) };
  const last = kept.state.messages === 0 ? 0 : kept.state.last_seq;
  const jetstream = connection.jetstream();
  const consumer = await jetstream.consumers.get(keptStream, replayConsumer);
  // Ids that say what a message is a copy of; fresh ones, or JetStream would take what came a moment ago for a repeat.
  const prefix = `replay-of-${kept.created}-`;
  const run = randomUUID();
  // From here on nothing was missed: whatever lies between it and `next` has been published, or is a copy of what has been.
  let readFrom = delivered.stream_seq + 1;
  try {
    for (let next = readFrom; next <= last; ) {
      const begun = next;
      const sent: Promise<void>[] = [];
      const asked = Math.min(maxSent, last - next + 1);
      for await (const message of await consumer.fetch({ max_messages: asked, expires: fetchWaitMs })) {
        const { seq } = message;
        // Discarded since, for its age or for want of room.
        if (seq > next) {
          replay.keptFrom = new Date(message.info.timestampNanos / 1e6);
          readFrom = seq;
        }
        next = seq + 1;
        if (seq > last) break;
        const copied = readCopiedSeq(message.headers?.get('Nats-Msg-Id'), prefix);
        if (copied !== null && copied >= readFrom && copied < seq) continue;
        sent.push(publishWhenThereIsRoom(jetstream, message.data, `${prefix}${seq}-${run}`));
        replay.messages += 1;
        replay.events += unpackEvents(message.data).length;
      }
      await Promise.all(sent);
      if (next > begun || next > last) continue;
      const { state } = await readKept(manager);
      if (state.messages > 0 && state.first_seq <= last) throw new Error('NATS is too slow to read from; run it again');
      replay.keptFrom = new Date(kept.state.last_ts);
      break;
    }
  } finally {
    await consumer.delete().catch(() => false);
  }
  return replay;
}

/** @throws NothingKeptError */
function readKept(manager: JetStreamManager): Promise<StreamInfo> {
  return manager.streams.info(keptStream).catch((error: unknown) => {
    const isMissing = error instanceof NatsError && error.api_error?.err_code === noSuchStream;
    throw isMissing ? new NothingKeptError(`NATS has no stream ${keptStream}: no events are kept`) : error;
  });
}

/** Which message of this very stream a message is a copy of; null if it is none, or of a stream that was here before. */
function readCopiedSeq(id: string | undefined, prefix: string): number | null {
  return id?.startsWith(prefix) ? Number.parseInt(id.slice(prefix.length), 10) : null;
}

/** From when on the stream keeps everything, if that is later than a time; null otherwise. */
function findKeptFrom({ created, state }: StreamInfo, since: Date): Date | null {
  // What came before it was made nobody kept.
  let from = new Date(created);
  // Of an empty stream, the first message has no time.
  if (state.first_seq > 1) from = new Date(state.messages === 0 ? state.last_ts : state.first_ts);
  return from > since ? from : null;
}

/** The event stream refuses what does not fit, until the writers have taken from it. */
async function publishWhenThereIsRoom(jetstream: JetStreamClient, data: Uint8Array, msgID: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await jetstream.publish(eventSubject, data, { msgID });
      return;
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error === undefined || attempt === roomTries) throw error;
      await setTimeout(1_000);
    }
  }
}
