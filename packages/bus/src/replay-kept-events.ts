import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, type JetStreamClient, NatsError, nanos } from 'nats';
import type { BusConnection } from './connect.ts';
import { eventSubject, keptStream, replayConsumer } from './names.ts';
import { unpackEvents } from './parcel.ts';

export interface Replay {
  messages: number;
  events: number;
  /** From when on events are kept, where that is later than what was asked for and some were discarded before; null otherwise. */
  keptFrom: Date | null;
}

/** No stream keeps events: they are not to be kept, or no writer has made it yet. */
export class NothingKeptError extends Error {
  readonly code = 'nothing_kept';
}

/** Published and not yet confirmed at once. */
const maxSent = 64;
const fetchWaitMs = 2_000;
const abandonedAfterMs = 60_000;
const roomTries = 90;
const noSuchStream = 10_059;

/**
 * Publishes the events that came since a time again, for the writers: those that are recorded already they pass over. It goes as
 * far as what is kept when it begins, since what it publishes is kept again. Safe to repeat.
 */
export async function replayKeptEvents(connection: BusConnection, since: Date): Promise<Replay> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const { state } = await manager.streams.info(keptStream).catch((error: unknown) => {
    const isMissing = error instanceof NatsError && error.api_error?.err_code === noSuchStream;
    throw isMissing ? new NothingKeptError(`NATS has no stream ${keptStream}: no events are kept`) : error;
  });
  const firstKept = new Date(state.first_ts);
  const replay: Replay = {
    messages: 0,
    events: 0,
    keptFrom: state.first_seq > 1 && firstKept > since ? firstKept : null,
  };
  if (state.messages === 0) return replay;
  // One that was killed may have left its consumer.
  await manager.consumers.delete(keptStream, replayConsumer).catch(() => false);
  await manager.consumers.add(keptStream, {
    name: replayConsumer,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
    inactive_threshold: nanos(abandonedAfterMs),
  });
  const jetstream = connection.jetstream();
  const consumer = await jetstream.consumers.get(keptStream, replayConsumer);
  // Fresh ids, or JetStream would take what came a moment ago for a repeat.
  const run = randomUUID();
  try {
    for (let last = 0; last < state.last_seq; ) {
      const sent: Promise<void>[] = [];
      for await (const message of await consumer.fetch({ max_messages: maxSent, expires: fetchWaitMs })) {
        last = message.seq;
        if (last > state.last_seq) break;
        sent.push(publishWhenThereIsRoom(jetstream, message.data, `replay-${run}-${last}`));
        replay.messages += 1;
        replay.events += unpackEvents(message.data).length;
      }
      await Promise.all(sent);
      // What is left has become too old meanwhile.
      if (sent.length === 0) break;
    }
  } finally {
    await consumer.delete().catch(() => false);
  }
  return replay;
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
