import { commonFields, portField, type SettingFiles, shutdownGraceField } from '@agp/runtime';
import { z } from 'zod';

/** The writer's variables, each in upper snake case; the descriptions are the table of docs/configuration.md. */
export const writerConfigSchema = z.object({
  ...commonFields,
  opsPort: portField.default(9082).describe('health and metrics, without authentication: keep it off the ingress'),
  eventStreamReplicas: z.coerce.number().int().min(1).max(5).default(1).describe('copies of the event stream in NATS'),
  eventStreamMaxBytes: z.coerce
    .number()
    .int()
    .min(1)
    .default(10 * 1024 ** 3)
    .describe('size of the event stream; kept events take as much again'),
  // A second replay must find what the first recorded, and retention may remove that after 7 days.
  eventKeepHours: z.coerce
    .number()
    .int()
    .min(0)
    .max(72)
    .default(24)
    .describe('how long recorded events are kept for [a replay](operate.md#a-database-behind-jetstream); 0 to 72'),
  writerLanes: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('batches recorded at once, each on its own connection'),
  shutdownGraceSeconds: shutdownGraceField(20).describe('[stopping](#stopping): time to record what it holds'),
});

export type WriterConfig = z.infer<typeof writerConfigSchema> & { files?: SettingFiles };
