import type { NatsConnection } from 'nats';
import { eventStream, writerConsumer } from './names.ts';

/** What the writers have before them, in messages. */
export interface Backlog {
  /** Not yet delivered to any writer. */
  pending: number;
  /** Delivered and not yet acknowledged. */
  unacknowledged: number;
}

/** Asks JetStream how far the writers are behind. Rejects when it does not answer. */
export async function readBacklog(connection: NatsConnection): Promise<Backlog> {
  const manager = await connection.jetstreamManager({ checkAPI: false });
  const info = await manager.consumers.info(eventStream, writerConsumer);
  return { pending: info.num_pending, unacknowledged: info.num_ack_pending };
}
