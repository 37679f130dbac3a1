import { readSecret } from '../secrets/secrets-folder.ts';
import type { Installation } from './read-installation.ts';

const servers = [
  { setting: 'POSTGRES', path: 'proxy/database-url', port: '5432' },
  { setting: 'NATS', path: 'proxy/nats-url', port: '4222' },
  { setting: 'REDIS', path: 'proxy/redis-url', port: '6379' },
];

/**
 * Compares the servers that Secrets name with those that policies let pods reach. Sentinels are left out, which have ports of their own, and names
 * of several servers, of which settings have one.
 *
 * @param folder what `npm run secrets` made
 */
export function findSecretFaults({ settings, nameOf }: Installation, folder: string): string[] {
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
