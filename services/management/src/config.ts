import { commonFields, drainDelayField, portField, shutdownGraceField, trustProxyField } from '@agp/runtime';
import { z } from 'zod';

/** The management service's configuration, from the variables of decisions.md section 1. */
export const managementConfigSchema = z.object({
  ...commonFields,
  host: z.string().default('0.0.0.0'),
  managementPort: portField.default(8081),
  opsPort: portField.default(9081),
  /** Guessing must be out of question: `openssl rand -hex 32` makes a good one. */
  managementApiKey: z.string().min(16),
  /** Live streams that one key may have open on this process. */
  maxStreamsPerKey: z.coerce.number().int().min(1).default(50),
  edition: z.enum(['extended', 'base']).default('extended'),
  trustProxy: trustProxyField,
  drainDelaySeconds: drainDelayField,
  shutdownGraceSeconds: shutdownGraceField(10),
});

export type ManagementConfig = z.infer<typeof managementConfigSchema>;
