import { readFileSync } from 'node:fs';
import { databaseUsers, makePassword } from '../role-urls.ts';
import { CommandError, UsageError } from '../run-command.ts';
import type { ServerPlaces } from './list-secrets.ts';
import { readPasswords, replacePassword } from './passwords.ts';
import { completeSecrets, givenPath, readSecret, writeSecret, writeServerConfigs } from './secrets-folder.ts';

/** The largest Secret, in bytes. */
const maxBytes = 1024 * 1024;

/** Takes files into the folder of secrets, in place of the old ones. */
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

/** The roles whose passwords can be rotated. Postgres' superuser is missing: no other role can change its password there. */
export const rotatable = [...databaseUsers, 'operator', 'management-api-key', 'grafana-admin'] as const;
export type Rotatable = (typeof rotatable)[number];

/** Gives a role a new password for each server, in every file that contains one. */
export function rotateSecrets(folder: string, places: ServerPlaces, role: Rotatable): string[] {
  completeSecrets(folder, places);
  const database = makePassword();
  const replaced = new Map<string, (known: string) => string>([
    [`${role}/database-url`, (url) => replacePassword(url, database)],
    [`admin/${role}-password`, () => database],
    [`${role}/database-password`, () => database],
    [`${role}/nats-url`, (url) => replacePassword(url, makePassword())],
    [`${role}/redis-url`, (url) => replacePassword(url, makePassword())],
  ]);
  if (role === 'management-api-key') replaced.set('management/management-api-key', () => `agm_${makePassword()}`);
  if (role === 'grafana-admin') replaced.set('grafana/admin-password', makePassword);
  const written = [...replaced].flatMap(([path, replace]) => {
    const known = readSecret(folder, path);
    if (known === undefined) return [];
    writeSecret(folder, path, replace(known));
    return [path];
  });
  return [
    ...written,
    ...writeServerConfigs(
      folder,
      readPasswords((path) => readSecret(folder, path)),
    ),
  ];
}
