import { drainDelayField, loadConfig, portField, shutdownGraceField } from '@agp/runtime';
import { z } from 'zod';

/** The variables that the local stack itself reads; all others go to the services as they are. */
const startConfigSchema = z.object({
  databaseUrl: z.string().optional(),
  natsUrl: z.string().optional(),
  redisUrl: z.string().optional(),
  managementApiKey: z.string().optional(),
  providersFile: z.string().optional(),
  host: z.string().default('127.0.0.1'),
  opsHost: z.string().default('127.0.0.1'),
  proxyPort: portField.default(8080),
  managementPort: portField.default(8081),
  /** The proxy's; management and the writer take the next two, or free ones if it is 0. */
  opsPort: portField.default(9080),
  /** Shorter than in a deployment, because a person waits for it. */
  shutdownGraceSeconds: shutdownGraceField(5),
  drainDelaySeconds: drainDelayField,
});

export type StartConfig = z.infer<typeof startConfigSchema>;

/** @throws ConfigError naming the variables that are wrong */
export function readStartConfig(environment: NodeJS.ProcessEnv): StartConfig {
  return loadConfig(startConfigSchema, environment);
}
