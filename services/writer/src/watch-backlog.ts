import { type NatsConnection, readBacklog } from '@agp/bus';
import type { WriterMetrics } from './metrics.ts';

const everyMs = 5_000;

/** Updates the backlog gauges; while JetStream does not answer they keep their values. @returns stops it */
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
