import { databaseUsers, makePassword } from '../role-urls.ts';
import type { ServerPlaces } from './list-secrets.ts';
import { readPasswords, replacePassword } from './passwords.ts';
import { completeSecrets, readSecret, writeSecret, writeServerConfigs } from './secrets-folder.ts';

/** The roles whose passwords can be rotated. Postgres' superuser is missing: no other role can change its password there. */
export const rotatable = [...databaseUsers, 'operator', 'management-api-key', 'grafana-admin'] as const;
export type Rotatable = (typeof rotatable)[number];

/**
 * Gives a role a new password for each server, in every file that contains one. The rest of each URL stays unchanged.
 *
 * @returns the paths of what was written
 */
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
