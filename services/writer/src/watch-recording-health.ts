import { type Db, readRecordingHealth } from '@agp/db';
import { keepReading } from '@agp/runtime';
import type { WriterMetrics } from './metrics.ts';

/** Updates the storage gauges once a minute; while Postgres does not answer they keep their values. @returns stops it */
export function watchRecordingHealth(db: Db, { storage }: WriterMetrics): () => Promise<void> {
  return keepReading({
    read: () => readRecordingHealth(db),
    show(health) {
      storage.quarantineWaiting.set(health.quarantine_waiting);
      storage.partitionsEnd.set((health.partitions_end?.getTime() ?? 0) / 1_000);
      storage.defaultPartition.set(health.default_partition_events);
      const oldest = health.oldest_unsealed_refusals?.getTime();
      storage.unsealedAge.set(oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest) / 1_000));
    },
  });
}
