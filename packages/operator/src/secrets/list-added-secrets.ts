import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of what is not made but given: keys of providers, certificates of hosts, and the console's secret at its OpenID provider. */
const givenFolders = ['provider-keys', 'proxy-tls', 'management-tls', 'management'] as const;
/** Paths of secrets that `addSecrets` takes. */
export const givenPath =
  /^(?:provider-keys\/[a-z0-9][a-z0-9-]{0,62}|(?:proxy|management)-tls\/tls\.(?:crt|key)|admin\/database-url|management\/oidc-client-secret)$/;

/** The paths of given secrets that are in the folder. */
export function listAddedSecrets(folder: string): string[] {
  return givenFolders
    .filter((name) => existsSync(join(folder, name)))
    .flatMap((name) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`))
    .filter((path) => givenPath.test(path))
    .sort();
}
