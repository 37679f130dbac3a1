import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toLineText } from '@agp/core/text';
import { StartError } from '../start-error.ts';

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

/** The sentence for the user about a folder or file of `AGP_DATA_DIR` that cannot be used. */
export function explainDataFolder(path: string, error: unknown): StartError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new StartError(`AGP_DATA_DIR: ${toLineText(path, maxShown)} cannot be used: ${reasons[code] ?? message}.`);
}

/**
 * Makes the data folder unless it is there, and tries whether it can be written to.
 *
 * @throws StartError saying why it cannot be used
 */
export function makeDataFolder(folder: string): void {
  try {
    if (folder.length > longestPath) throw Object.assign(new Error(), { code: 'ENAMETOOLONG' });
    makeFolders(folder);
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    const probe = join(folder, `probe-${process.pid}`);
    closeSync(openSync(probe, 'w', 0o600));
    rmSync(probe);
  } catch (error) {
    throw explainDataFolder(folder, error);
  }
}

/** One by one: Node's recursive `mkdir` never ends where the system denies that a folder is there, as in /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another start may have made it.
    if (!existsSync(folder)) throw error;
  }
}
