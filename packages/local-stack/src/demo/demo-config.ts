import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, portField } from '@agp/runtime';
import { z } from 'zod';
import { readLocalStackConfig } from '../local-stack-config.ts';
import { readNote } from '../running-servers.ts';
import { loadSecrets } from '../start/data-folder.ts';
import { toReachable } from '../start/make-console-link.ts';

export interface DemoConfig {
  proxyUrl: string;
  managementUrl: string;
  managementKey: string;
}

/** The demo cannot run. The message says what to do about it. */
export class DemoNotReadyError extends Error {
  readonly code = 'demo_not_ready';
}

export function nothingAnswers(url: string): DemoNotReadyError {
  return new DemoNotReadyError(
    `Nothing answers on ${url}: start it with "npm start" first. If it runs already, set AGP_DATA_DIR as it was set there, ` +
      'or PROXY_PORT and MANAGEMENT_PORT to where it listens.',
  );
}

const demoConfigSchema = z.object({
  host: z.string().optional(),
  proxyPort: portField.optional(),
  managementPort: portField.optional(),
  managementApiKey: z.string().optional(),
});

function readKeptKey(dataFolder: string): string {
  // loadSecrets would make missing secrets, which only `npm start` should do.
  if (existsSync(join(dataFolder, 'secrets.json'))) return loadSecrets(dataFolder).managementApiKey;
  throw new DemoNotReadyError(
    `There is no local stack in ${dataFolder} yet: start it with "npm start" first, or name its folder in AGP_DATA_DIR.`,
  );
}

/** Reads addresses and key of the local stack from the notes of `npm start` in `AGP_DATA_DIR`; variables come first. */
export function readDemoConfig(environment: NodeJS.ProcessEnv): DemoConfig {
  const { dataFolder } = readLocalStackConfig(environment, () => {});
  const { host = '127.0.0.1', proxyPort, managementPort, managementApiKey } = loadConfig(demoConfigSchema, environment);
  const noted = readNote(dataFolder, 'services');
  // Only the note knows which port 0 has become.
  const choose = (port: number | undefined, notedUrl: string | undefined, usual: number) =>
    toReachable(port || notedUrl === undefined ? `http://${host}:${port || usual}` : notedUrl);
  return {
    proxyUrl: choose(proxyPort, noted.proxyUrl, 8080),
    managementUrl: choose(managementPort, noted.managementUrl, 8081),
    managementKey: managementApiKey ?? readKeptKey(dataFolder),
  };
}
