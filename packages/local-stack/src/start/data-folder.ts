import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { JsonError, parseJson } from '@agp/core/json';
import { toLineText } from '@agp/core/text';
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
import { StartError } from '../local-stack-config.ts';

/** Shown of a path, in UTF-16 units. */
const maxShown = 200;
/** In UTF-16 units: no system has longer ones. */
const longestPath = 4_096;

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EEXIST: 'there is something else of that name',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'it is too long',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of it is a file, not a folder',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a disk that is read-only',
};

export function explainDataFolder(path: string, error: unknown): StartError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new StartError(`AGP_DATA_DIR: ${toLineText(path, maxShown)} cannot be used: ${reasons[code] ?? message}.`);
}

/** Makes the data folder unless it is there, and tries whether it can be written to. */
export function makeDataFolder(folder: string): void {
  try {
    if (folder.length > longestPath) throw Object.assign(new Error(), { code: 'ENAMETOOLONG' });
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    const probe = join(folder, `probe-${process.pid}`);
    closeSync(openSync(probe, 'w', 0o600));
    rmSync(probe);
  } catch (error) {
    throw explainDataFolder(folder, error);
  }
}

const sqliteBusy = 5;

/** Makes the data folder ours until the process ends, even by SIGKILL: SQLite is how Node gets the kernel's lock. */
export function claimDataFolder(dataFolder: string): Disposable {
  makeDataFolder(dataFolder);
  const pidFile = join(dataFolder, 'start.pid');
  const lockFile = join(dataFolder, 'start.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(lockFile);
    lock.exec('BEGIN EXCLUSIVE');
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw explainDataFolder(dataFolder, error);
    throw new StartError(
      `The local stack is running already on ${dataFolder}${describeHolder(pidFile)}. ` +
        'Stop that one first, or set AGP_DATA_DIR to another folder, and PROXY_PORT, MANAGEMENT_PORT and OPS_PORT to free ports.',
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** Empty if the other has the lock but has not written its pid yet. */
function describeHolder(pidFile: string): string {
  const pid = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim() : '';
  return pid === '' ? '' : ` (process ${pid})`;
}

export interface Secrets {
  managementApiKey: string;
  postgresPassword: string;
  databasePasswords: DatabasePasswords;
  natsPasswords: NatsPasswords;
  redisPasswords: RedisPasswords;
}

/** Reads the secrets of a data folder, and generates missing ones, in a file that only its owner can read. */
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
