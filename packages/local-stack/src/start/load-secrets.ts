import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the local stack made up on its first run. */
export interface Secrets {
  managementApiKey: string;
  postgresPassword: string;
  redisPassword: string;
}

const makeSecret = () => randomBytes(24).toString('base64url');

/** Reads the secrets of a data folder; the first time they are made, readable by their owner alone. */
export function loadSecrets(dataFolder: string): Secrets {
  const file = join(dataFolder, 'secrets.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secrets: Secrets = {
    managementApiKey: `agm_${makeSecret()}`,
    postgresPassword: makeSecret(),
    redisPassword: makeSecret(),
  };
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return secrets;
}
