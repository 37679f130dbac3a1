import type { NatsConnection } from 'nats';
import { eventStream, writerConsumer } from './names.ts';

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
