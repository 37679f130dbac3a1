import { type NatsConnection, readBacklog } from '@agp/bus';
import type { WriterMetrics } from './metrics.ts';

const everyMs = 5_000;

/** Keeps the backlog gauges; while JetStream does not answer they stay as they are. @returns a function that ends it */
export function watchBacklog(connection: NatsConnection, metrics: WriterMetrics): () => void {
  const look = async (): Promise<void> => {
    const backlog = await readBacklog(connection).catch(() => null);
    if (backlog === null) return;
    metrics.pending.set(backlog.pending);
    metrics.unacknowledged.set(backlog.unacknowledged);
    metrics.streamUsed.set(backlog.usedRatio);
  };
  const timer = setInterval(() => void look(), everyMs);
  return () => clearInterval(timer);
}
