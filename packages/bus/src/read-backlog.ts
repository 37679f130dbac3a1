import type { NatsConnection } from 'nats';
import { eventStream, writerConsumer } from './names.ts';

/** How far the writers are behind. */
export interface Backlog {
  /** Messages not yet delivered to any writer. */
  pending: number;
  /** Messages delivered and not yet acknowledged. */
  unacknowledged: number;
  /** How long ago the oldest message came that is not acknowledged, in milliseconds; 0 where there is none. */
  oldestMs: number;
  /** The used part of the stream's disk space; at 1 JetStream refuses events. */
  usedRatio: number;
}

/** Asks JetStream how far the writers are behind. Rejects when it does not answer. */
export async function readBacklog(connection: NatsConnection): Promise<Backlog> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const [info, stream] = await Promise.all([
    manager.consumers.info(eventStream, writerConsumer),
    manager.streams.info(eventStream),
  ]);
  return {
    pending: info.num_pending,
    unacknowledged: info.num_ack_pending,
    // Acknowledged messages are gone from the stream.
    oldestMs: stream.state.messages === 0 ? 0 : Math.max(0, Date.now() - Date.parse(stream.state.first_ts)),
    usedRatio: stream.state.bytes / stream.config.max_bytes,
  };
}
