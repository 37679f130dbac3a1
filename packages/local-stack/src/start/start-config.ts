import { toLineText } from '@agp/core/text';
import { commonFields, drainDelayField, loadConfig, portField, shutdownGraceField } from '@agp/runtime';
import { z } from 'zod';
import { probePort } from '../servers/ports.ts';
import { StartError } from '../start-error.ts';

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

export function readStartConfig(environment: NodeJS.ProcessEnv): StartConfig {
  return loadConfig(startConfigSchema, environment);
}

/** A port that a service is about to listen on, and the variable that moves it. */
interface WantedPort {
  variable: string;
  hostVariable: string;
  host: string;
  port: number;
}

/** Codes of errors that are of the host, not of the port. */
const hostFaults = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL']);

/** @throws StartError naming the variable of a port that cannot be listened on, or of its host */
export async function checkPorts(wanted: WantedPort[]): Promise<void> {
  const taken = new Map<string, string>();
  for (const { variable, hostVariable, host, port } of wanted) {
    const other = port === 0 ? undefined : taken.get(`${host} ${port}`);
    if (other !== undefined) throw new StartError(`${variable} and ${other} cannot both be ${port}.`);
    taken.set(`${host} ${port}`, variable);
    await probePort(port, host).catch(({ code = '' }: NodeJS.ErrnoException) => {
      if (hostFaults.has(code))
        throw new StartError(`${hostVariable}: ${toLineText(host, 200)} is no address of this machine (${code}).`);
      const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used on ${host} (${code})`;
      throw new StartError(`Port ${port} ${reason}. Set ${variable} to a free port and start again.`);
    });
  }
}
