import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, portField } from '@agp/runtime';
import { z } from 'zod';
import { readLocalStackConfig } from '../local-stack-config.ts';
import { readRunningServices } from '../running-servers.ts';
import { loadSecrets } from '../start/load-secrets.ts';

export interface DemoConfig {
  proxyUrl: string;
  managementUrl: string;
  managementKey: string;
}

/** Nothing to send the demo through. The message says what to do about it. */
export class DemoNotReadyError extends Error {
  readonly code = 'demo_not_ready';
}

/** The error for an address where nothing listens. */
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
  // Reading makes the secrets where there are none, which is for `npm start` to do.
  if (existsSync(join(dataFolder, 'secrets.json'))) return loadSecrets(dataFolder).managementApiKey;
  throw new DemoNotReadyError(
    `There is no local stack in ${dataFolder} yet: start it with "npm start" first, or name its folder in AGP_DATA_DIR.`,
  );
}

/** Where to connect to what listens on all addresses. */
function toReachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/**
 * Reads where the local stack listens and the key to its management API: what `npm start` noted in `AGP_DATA_DIR`, and over
 * it the variables that it reads too, `HOST`, `PROXY_PORT`, `MANAGEMENT_PORT` and `MANAGEMENT_API_KEY`.
 *
 * @throws DemoNotReadyError when no key was ever made here; ConfigError naming a variable that is wrong
 */
export function readDemoConfig(environment: NodeJS.ProcessEnv): DemoConfig {
  const { dataFolder } = readLocalStackConfig(environment, () => {});
  const { host = '127.0.0.1', proxyPort, managementPort, managementApiKey } = loadConfig(demoConfigSchema, environment);
  const noted = readRunningServices(dataFolder);
  // Port 0 has become another one, which only the note tells.
  const choose = (port: number | undefined, notedUrl: string | undefined, usual: number) =>
    toReachable(port || notedUrl === undefined ? `http://${host}:${port || usual}` : notedUrl);
  return {
    proxyUrl: choose(proxyPort, noted.proxyUrl, 8080),
    managementUrl: choose(managementPort, noted.managementUrl, 8081),
    managementKey: managementApiKey ?? readKeptKey(dataFolder),
  };
}
