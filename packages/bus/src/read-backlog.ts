import type { NatsConnection } from 'nats';
import { eventStream, writerConsumer } from './names.ts';

/** How far the writers are behind. */
export interface Backlog {
  /** Messages not yet delivered to any writer. */
  pending: number;
  /** Messages delivered and not yet acknowledged. */
  unacknowledged: number;
  /**
   * How long ago the oldest message came that is not acknowledged, in milliseconds; 0 where there is none. Where all are delivered, at
   * most three times what a writer may hold one without a sign of life.
   */
  oldestMs: number;
  /** The used part of the stream's disk space; at 1 JetStream refuses events. */
  usedRatio: number;
}

/** Asks JetStream how far the writers are behind. Rejects when it does not answer. */
export const readBacklog = (connection: NatsConnection): Promise<Backlog> => makeReadBacklog(connection)();

/**
 * A delivered message that is not acknowledged counts for so many times the consumer's `ack_wait`. By then it has been delivered again, or
 * a writer that lives holds it; but a server that was killed may count one for ever that it never delivers again (seen with 2.9.10).
 */
const believedWaits = 3;
const nanosPerMs = 1e6;

/** Looks that are remembered; of more, every second one is forgotten. */
const maxLooks = 1_000;

/**
 * The same for who asks again and again: it knows better how old the oldest message is. A server that was killed may keep acknowledged
 * messages for ever, without ever delivering one again; so the age of the first message in the stream is only the most that it can be.
 */
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
    // What is not acknowledged came after the latest look of which all is acknowledged by now.
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
