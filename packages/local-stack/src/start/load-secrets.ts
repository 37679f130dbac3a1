import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonError, parseJson } from '@agp/core/json';
import {
  completePasswords,
  type DatabasePasswords,
  databaseUsers,
  makeNatsPasswords,
  makePassword,
  makeRedisPasswords,
  type NatsPasswords,
  type RedisPasswords,
} from '@agp/operator';
import { StartError } from '../start-error.ts';

/** Secrets that the local stack generates on its first run. */
export interface Secrets {
  managementApiKey: string;
  /** The superuser's. */
  postgresPassword: string;
  databasePasswords: DatabasePasswords;
  natsPasswords: NatsPasswords;
  redisPasswords: RedisPasswords;
}

/**
 * Reads the secrets of a data folder, and generates those that are missing, in a file that only its owner can read.
 */
export function loadSecrets(dataFolder: string): Secrets {
  const file = join(dataFolder, 'secrets.json');
  const known = readSecrets(file);
  const secrets: Secrets = {
    managementApiKey: known.managementApiKey ?? `agm_${makePassword()}`,
    postgresPassword: known.postgresPassword ?? makePassword(),
    databasePasswords: completePasswords(databaseUsers, known.databasePasswords),
    natsPasswords: makeNatsPasswords(known.natsPasswords),
    redisPasswords: makeRedisPasswords(known.redisPasswords),
  };
  const text = `${JSON.stringify(secrets, null, 2)}\n`;
  if (text === `${JSON.stringify(known, null, 2)}\n`) return secrets;
  // Never half a file: the passwords in it are the only way into the data.
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return secrets;
}

function readSecrets(file: string): Partial<Secrets> {
  try {
    return parseJson(readFileSync(file)) as Partial<Secrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (error instanceof JsonError) throw new StartError(`AGP_DATA_DIR: ${file} ${error.message}.`);
    throw error;
  }
}
