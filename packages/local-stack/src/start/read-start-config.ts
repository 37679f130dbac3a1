import { commonFields, drainDelayField, loadConfig, portField, shutdownGraceField } from '@agp/runtime';
import { z } from 'zod';

/** The variables that the local stack itself reads; all others go to the services as they are. */
const startConfigSchema = z.object({
  databaseUrl: commonFields.databaseUrl.optional(),
  natsUrl: commonFields.natsUrl.optional(),
  redisUrl: commonFields.redisUrl.optional(),
  managementApiKey: z.string().min(16).optional(),
  providersFile: z.string().optional(),
  host: z.string().default('127.0.0.1'),
  opsHost: z.string().default('127.0.0.1'),
  proxyPort: portField.default(8080),
  managementPort: portField.default(8081),
  /** The proxy's; management and the writer take the next two, or free ones if it is 0. */
  opsPort: portField.max(65_533, 'must leave room for two more ports').default(9080),
  /** Shorter than in a deployment, because a person waits for it. */
  shutdownGraceSeconds: shutdownGraceField(5),
  drainDelaySeconds: drainDelayField,
  /** Read with the folders, before anything else. */
  agpPostgres: z.literal('embedded', 'must be embedded, or not set').optional(),
});

export type StartConfig = z.infer<typeof startConfigSchema>;

/** @throws ConfigError naming the variables that are wrong */
export function readStartConfig(environment: NodeJS.ProcessEnv): StartConfig {
  return loadConfig(startConfigSchema, environment);
}
