import { commonFields, portField, shutdownGraceField } from '@agp/runtime';
import { z } from 'zod';

/** What the writer reads from its environment. */
export const writerConfigSchema = z.object({
  ...commonFields,
  opsPort: portField.default(9082),
  /** Copies of the event stream in a NATS cluster. */
  eventStreamReplicas: z.coerce.number().int().min(1).max(5).default(1),
  /** What the event stream may hold on disk; beyond it proxies keep their events in memory. */
  eventStreamMaxBytes: z.coerce
    .number()
    .int()
    .min(1)
    .default(10 * 1024 ** 3),
  /** How long events are kept after they are recorded, for a database that has to be restored; 0 keeps none. */
  // A replay keeps what it publishes for as long again: a second one must still find what the first recorded, and retention may remove
  // that after 7 days.
  eventKeepHours: z.coerce.number().int().min(0).max(72).default(24),
  /** Batches that are recorded at once, each on a Postgres connection of its own. */
  writerLanes: z.coerce.number().int().min(1).max(64).default(4),
  /** How long recording what is held may take after SIGTERM; the rest is left to other writers. */
  shutdownGraceSeconds: shutdownGraceField(20),
});

export type WriterConfig = z.infer<typeof writerConfigSchema>;
