import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listSecrets, listServerConfigs, type ServerPlaces } from './list-secrets.ts';
import { type Passwords, readPasswords } from './passwords.ts';

/** Reads a secret; undefined where there is none. */
export function readSecret(folder: string, path: string): string | undefined {
  try {
    return readFileSync(join(folder, path), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** What the folder holds of what a deployment needs. */
export function readSecrets(folder: string, places: ServerPlaces): Map<string, string> {
  const passwords = readPasswords((path) => readSecret(folder, path));
  const paths = [...listSecrets(passwords, places).keys(), ...listServerConfigs(passwords).keys()];
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/**
 * Makes the secrets that the folder lacks, and the servers' configuration from those that are there. A secret that is there stays.
 * Only the owner can enter the folder; within it everybody may read, since containers see single files of it, as users of their own.
 *
 * @returns the paths of what was written
 */
export function completeSecrets(folder: string, places: ServerPlaces): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const passwords = readPasswords((path) => readSecret(folder, path));
  const missing = [...listSecrets(passwords, places)].filter(([path]) => readSecret(folder, path) === undefined);
  for (const [path, text] of missing) writeSecret(folder, path, text);
  return [...missing.map(([path]) => path), ...writeServerConfigs(folder, passwords)];
}

/** @returns the paths of those that were not so already */
export function writeServerConfigs(folder: string, passwords: Passwords): string[] {
  const changed = [...listServerConfigs(passwords)].filter(([path, text]) => readSecret(folder, path) !== text.trim());
  for (const [path, text] of changed) writeSecret(folder, path, text);
  return changed.map(([path]) => path);
}

/** Never leaves half a new secret behind. One that is replaced stays the same file, or containers that have it mounted would not see it. */
export function writeSecret(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  const isThere = existsSync(file);
  const target = isThere ? file : `${file}.new`;
  if (isThere) chmodSync(file, 0o644);
  writeFileSync(target, text, { mode: 0o600 });
  // Whatever the umask says: containers must be able to read it, and nobody else can come here.
  chmodSync(dirname(file), 0o755);
  chmodSync(target, 0o444);
  if (!isThere) renameSync(target, file);
}
