import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../servers/server.ts';
import { StartError } from '../start-error.ts';

/** A program that can be run, and the variables it needs. */
export interface ServerBinary {
  file: string;
  environment: Record<string, string>;
}

/** A server was not found and could not be installed. The message says what to do on this platform. */
export class MissingServerError extends StartError {
  override readonly code = 'missing_server';
}

/** Where servers are besides the folders of PATH, which often lacks the `sbin` ones for ordinary users. */
const usualFolders = [
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/snap/bin',
];

/** The executable files of that name, in the order of `searchPath` and then of the usual places. */
export function findExecutables(name: string, searchPath: string): string[] {
  const folders = [...searchPath.split(':').filter((folder) => folder.startsWith('/')), ...usualFolders];
  return [...new Set(folders)].map((folder) => join(folder, name)).filter(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The output of `<file> --version`; null if it does not run (as that user). */
export function readVersion(binary: ServerBinary, account?: Account): string | null {
  const { status, stdout } = spawnSync(binary.file, ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...binary.environment },
    ...account,
  });
  return status === 0 ? stdout.trim() : null;
}
