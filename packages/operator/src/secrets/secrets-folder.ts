import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listAddedSecrets } from './list-added-secrets.ts';
import { listSecrets, listServerConfigs, type ServerPlaces } from './list-secrets.ts';
import { type Passwords, readPasswords } from './passwords.ts';

/** Reads a secret; undefined if it does not exist. */
export function readSecret(folder: string, path: string): string | undefined {
  try {
    return readFileSync(join(folder, path), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** All files that a deployment needs, by path. */
export function readSecrets(folder: string, places: ServerPlaces): Map<string, string> {
  const passwords = readPasswords((path) => readSecret(folder, path));
  const paths = [
    ...listSecrets(passwords, places).keys(),
    ...listServerConfigs(passwords).keys(),
    ...listAddedSecrets(folder),
  ];
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/**
 * Writes missing secrets, and the servers' configuration. Existing secrets stay. Only the owner can enter the folder; the files in it are
 * readable by all, since containers mount single files of it and run as other users.
 *
 * @returns the paths that were written
 */
export function completeSecrets(folder: string, places: ServerPlaces): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const passwords = readPasswords((path) => readSecret(folder, path));
  const missing = [...listSecrets(passwords, places)].filter(([path]) => readSecret(folder, path) === undefined);
  for (const [path, text] of missing) writeSecret(folder, path, text);
  return [...missing.map(([path]) => path), ...writeServerConfigs(folder, passwords)];
}

/** @returns the paths that have changed */
export function writeServerConfigs(folder: string, passwords: Passwords): string[] {
  const changed = [...listServerConfigs(passwords)].filter(([path, text]) => readSecret(folder, path) !== text.trim());
  for (const [path, text] of changed) writeSecret(folder, path, text);
  return changed.map(([path]) => path);
}

/** A new secret is never half written. A replaced one stays the same file, or containers that have it mounted would not see the change. */
export function writeSecret(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  const isThere = existsSync(file);
  const target = isThere ? file : `${file}.new`;
  if (isThere) chmodSync(file, 0o644);
  writeFileSync(target, text, { mode: 0o600 });
  // Regardless of the umask: containers must be able to read it, and nobody else can enter the folder.
  chmodSync(dirname(file), 0o755);
  chmodSync(target, 0o444);
  if (!isThere) renameSync(target, file);
}
