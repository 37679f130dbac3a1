import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../start-error.ts';
import { explainDataFolder, makeDataFolder } from './make-data-folder.ts';

const sqliteBusy = 5;

/**
 * Makes the data folder ours until the process ends, even by SIGKILL: the lock is the kernel's, and SQLite is how Node gets one. The
 * second file only names the holder, for the error message.
 *
 * @throws StartError if another process has it, or it cannot be used
 */
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
