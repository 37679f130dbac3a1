import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readLocalStackConfig } from '../local-stack-config.ts';
import { loadSecrets } from '../start/load-secrets.ts';
import { readStartConfig } from '../start/read-start-config.ts';

export interface DemoConfig {
  proxyUrl: string;
  managementUrl: string;
  managementKey: string;
}

/** Nothing to send the demo through. The message says what to do about it. */
export class DemoNotReadyError extends Error {
  readonly code = 'demo_not_ready';
}

function readKeptKey(dataFolder: string): string {
  // Reading makes the secrets where there are none, which is for `npm start` to do.
  if (existsSync(join(dataFolder, 'secrets.json'))) return loadSecrets(dataFolder).managementApiKey;
  throw new DemoNotReadyError('There is no local stack here yet: start it with "npm start" first.');
}

/**
 * Reads where the local stack listens and the key to its management API, from the variables that `npm start` reads too:
 * `PROXY_PORT`, `MANAGEMENT_PORT`, `HOST`, `MANAGEMENT_API_KEY` (else the key kept in `AGP_DATA_DIR`).
 *
 * @throws DemoNotReadyError when no key was ever made here
 */
export function readDemoConfig(environment: NodeJS.ProcessEnv): DemoConfig {
  const { dataFolder } = readLocalStackConfig(environment, () => {});
  const { host, proxyPort, managementPort, managementApiKey } = readStartConfig(environment);
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    proxyUrl: `http://${name}:${proxyPort}`,
    managementUrl: `http://${name}:${managementPort}`,
    managementKey: managementApiKey ?? readKeptKey(dataFolder),
  };
}
