import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What is not made but given: keys of providers, and certificates of hosts. */
const givenFolders = ['provider-keys', 'proxy-tls', 'management-tls'] as const;
/** Paths of secrets that `addSecrets` takes. */
export const givenPath =
  /^(?:provider-keys\/[a-z0-9][a-z0-9-]{0,62}|(?:proxy|management)-tls\/tls\.(?:crt|key)|admin\/database-url)$/;

/** The paths of given secrets that are in the folder. */
export function listAddedSecrets(folder: string): string[] {
  return givenFolders
    .filter((name) => existsSync(join(folder, name)))
    .flatMap((name) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`))
    .filter((path) => givenPath.test(path))
    .sort();
}
