import {
  commonFields,
  drainDelayField,
  portField,
  shutdownGraceField,
  storageTimeoutField,
  trustProxyField,
} from '@agp/runtime';
import { z } from 'zod';
import { consoleFields } from './console-fields.ts';

/** Each variable in upper snake case; the descriptions are the table of docs/configuration.md. */
export const managementConfigSchema = z.object({
  ...commonFields,
  natsUrl: commonFields.natsUrl.describe('for the live stream alone'),
  redisUrl: commonFields.redisUrl.describe('for reservations, and the limits of failed authentications and sign-ins'),
  host: z.string().default('0.0.0.0').describe('the address to listen on'),
  managementPort: portField.default(8081).describe('where operations teams connect; 0 takes a free port'),
  opsPort: portField
    .default(9081)
    .describe('`/healthz`, `/readyz`, `/metrics`, without authentication: keep it off the ingress'),
  managementApiKey: z
    .string()
    .min(16)
    .describe('the key named `bootstrap`, with every scope; at least 16 characters. A new value replaces the old'),
  storageTimeoutMs: storageTimeoutField.default(5_000).describe('how long a statement may take in Postgres'),
  maxStreamsPerKey: z.coerce.number().int().min(1).default(50).describe('live streams of one API key on each process'),
  edition: z.enum(['extended', 'base']).default('extended').describe('`base` leaves the session index out'),
  ...consoleFields,
  trustProxy: trustProxyField.describe(
    'hops, or networks separated by commas, whose `X-Forwarded-For` counts for failed authentications and sign-ins',
  ),
  drainDelaySeconds: drainDelayField.describe('[stopping](#stopping): requests are still accepted this long'),
  shutdownGraceSeconds: shutdownGraceField(10).describe('and running ones may go on this long after'),
});

export type ManagementConfig = z.infer<typeof managementConfigSchema>;
