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
  host: z.string().default('0.0.0.0').describe('the address to listen on'),
  managementPort: portField.default(8081).describe('for operations teams; 0 takes a free port'),
  opsPort: portField.default(9081).describe('health and metrics, without authentication: keep it off the ingress'),
  managementApiKey: z.string().min(16).describe('the key `bootstrap`, with every scope; at least 16 characters'),
  storageTimeoutMs: storageTimeoutField.default(5_000).describe('longest statement in Postgres'),
  maxStreamsPerKey: z.coerce.number().int().min(1).default(50).describe('live streams of an API key on each process'),
  edition: z.enum(['extended', 'base']).default('extended').describe('`base` leaves the session index out'),
  pricesFile: z.string().optional().describe("the proxies' file, for the [list of prices](api.md#costs)"),
  providersFile: z.string().optional().describe('the same; addresses alone are read'),
  ...consoleFields,
  trustProxy: trustProxyField.describe('hops, or networks separated by commas, whose `X-Forwarded-For` counts'),
  drainDelaySeconds: drainDelayField.describe('[stopping](#stopping): accept requests this long'),
  shutdownGraceSeconds: shutdownGraceField(10).describe('then let running ones go on this long'),
});

export type ManagementConfig = z.infer<typeof managementConfigSchema>;
