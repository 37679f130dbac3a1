import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabasePasswords, databaseUsers } from '../role-urls.ts';

/** What the local stack made up on its first run. */
export interface Secrets {
  managementApiKey: string;
  /** The superusers'. */
  postgresPassword: string;
  redisPassword: string;
  databasePasswords: DatabasePasswords;
}

const makeSecret = () => randomBytes(24).toString('base64url');

/** A secret for each user that has none. */
const completePasswords = <User extends string>(users: readonly User[], known: Partial<Record<User, string>> = {}) =>
  Object.fromEntries(users.map((user) => [user, known[user] ?? makeSecret()])) as Record<User, string>;

/**
 * Reads the secrets of a data folder; the first time they are made, readable by their owner alone. A folder of an older version
 * gets those that it lacks.
 */
export function loadSecrets(dataFolder: string): Secrets {
  const file = join(dataFolder, 'secrets.json');
  const known = readSecrets(file);
  const secrets: Secrets = {
    managementApiKey: known.managementApiKey ?? `agm_${makeSecret()}`,
    postgresPassword: known.postgresPassword ?? makeSecret(),
    redisPassword: known.redisPassword ?? makeSecret(),
    databasePasswords: completePasswords(databaseUsers, known.databasePasswords),
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
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return {};
  }
}
