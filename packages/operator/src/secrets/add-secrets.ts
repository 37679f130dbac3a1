import { readFileSync } from 'node:fs';
import { CommandError, UsageError } from '../run-command.ts';
import { givenPath } from './list-added-secrets.ts';
import { writeSecret } from './secrets-folder.ts';

/** Of a Secret, in bytes. */
const maxBytes = 1024 * 1024;

/**
 * Takes files into the folder of secrets, in place of those that are there.
 *
 * @param given each as `path=file`: where in the folder, and from which file
 * @returns the paths that were written
 * @throws UsageError, CommandError naming what cannot be taken; then nothing was
 */
export function addSecrets(folder: string, given: readonly string[]): string[] {
  const texts = given.map((each): [string, string] => {
    const [path = '', ...file] = each.split('=');
    if (!givenPath.test(path) || file.length === 0)
      throw new UsageError(
        `--add ${each}: must be <path>=<file>, the path one of provider-keys/<id>, proxy-tls/tls.crt, proxy-tls/tls.key, management-tls/tls.crt, management-tls/tls.key, management/oidc-client-secret, admin/database-url`,
      );
    return [path, readGiven(path, file.join('='))];
  });
  for (const [path, text] of texts) writeSecret(folder, path, text);
  return texts.map(([path]) => path);
}

function readGiven(path: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw new CommandError(`--add ${path}: ${file} cannot be read`);
  }
  if (text === '' || Buffer.byteLength(text) > maxBytes)
    throw new CommandError(`--add ${path}: ${file} is empty or larger than a Secret may be`);
  return text;
}
