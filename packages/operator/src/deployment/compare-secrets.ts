import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { authorityFile } from '../secrets/list-secrets.ts';
import { readSecret } from '../secrets/secrets-folder.ts';
import type { Installation } from './read-installation.ts';

const servers = [
  { setting: 'POSTGRES', path: 'proxy/database-url', port: '5432' },
  { setting: 'NATS', path: 'proxy/nats-url', port: '4222' },
  { setting: 'REDIS', path: 'proxy/redis-url', port: '6379' },
];

/** Where proxies have the keys of the Secret `agp-provider-keys`. */
const keysFolder = '/run/secrets/providers/';

/**
 * Compares what the Secrets hold with the installation: servers, the authority that Postgres is checked by, and provider keys.
 *
 * @param folder what `npm run secrets` made
 */
export const findSecretFaults = (installation: Installation, folder: string): string[] => [
  ...findServerFaults(installation, folder),
  ...findAuthorityFaults(installation, folder),
  ...findForcedTls(installation, folder),
  ...findKeyFaults(installation, folder),
];

function findAuthorityFaults({ parts, partOf }: Installation, folder: string): string[] {
  const isAsked = readSecret(folder, 'proxy/database-url')?.includes(authorityFile) ?? false;
  return isAsked && !parts.includes('private-ca')
    ? [`${partOf('private-ca')}: is missing, and proxy/database-url of the secrets asks for its ${authorityFile}`]
    : [];
}

/** A file of authorities makes a client ask for TLS, and the part gives it to all three services. */
function findForcedTls({ parts, partOf, variables, overlay }: Installation, folder: string): string[] {
  if (!parts.includes('private-ca')) return [];
  return ['NATS', 'REDIS'].flatMap((server) => {
    const name = `${server}_CA_FILE`;
    const url = readSecret(folder, `proxy/${server.toLowerCase()}-url`);
    if (url === undefined || /^(?:tls|rediss)\b/.test(url)) return [];
    return ['proxy', 'writer', 'management']
      .filter((service) => variables[service]?.[name] !== '')
      .map((service) => {
        const place = overlay === null ? `${service}.config.${name}` : `${name} of the ConfigMap ${service}`;
        return `${place}: ${partOf('private-ca')} makes it ask for TLS, which the URL of the secrets does not: it must be empty`;
      });
  });
}

/** If the folder has keys of providers: keys may come from a vault alone. */
function findKeyFaults({ variables, overlay }: Installation, folder: string): string[] {
  const place = join(folder, 'provider-keys');
  if (!existsSync(place)) return [];
  const known = readdirSync(place);
  const prefix = overlay === null ? 'proxy.config.' : '';
  return Object.entries(variables.proxy ?? {})
    .filter(([name, text]) => /^PROVIDER_\w+_API_KEY_FILE$/.test(name) && text.startsWith(keysFolder))
    .filter(([, text]) => !known.includes(text.slice(keysFolder.length)))
    .map(([name, text]) => `${prefix}${name}: ${text} is none of the secrets' provider-keys: ${known.join(', ')}`);
}

/**
 * Compares the servers that Secrets name with those that policies let pods reach. Sentinels are left out, which have ports of their own, and names
 * of several servers, of which settings have one.
 */
function findServerFaults({ settings, nameOf }: Installation, folder: string): string[] {
  return servers.flatMap(({ setting, path, port }) => {
    const url = readSecret(folder, path);
    if (url === undefined || url.includes('sentinel')) return [];
    const bare = url.replace(/[a-z+]+:\/\/(?:[^@/?,]*@)?/g, '').replace(/[/?].*$/, '');
    const named = bare.split(',').map((server) => (/:\d+$/.test(server) ? server : `${server}:${port}`));
    const host = named.length === 1 ? named.join().replace(/:\d+$/, '') : undefined;
    const known = settings.get(`${setting}_PORT`);
    const others = named.filter((server) => !server.endsWith(`:${known}`));
    const faults: string[] = [];
    if (others.length > 0)
      faults.push(
        `${nameOf(`${setting}_PORT`)}: policies open ${known}, and ${path} of the secrets names ${others.join()}`,
      );
    // That it is empty is told already.
    const set = settings.get(`${setting}_HOST`);
    if (host !== undefined && set && host !== set)
      faults.push(`${nameOf(`${setting}_HOST`)}: is ${set}, and ${path} of the secrets names ${host}`);
    return faults;
  });
}
