import { resolve } from 'node:path';
import { splitLines } from '@agp/core/login-urls';
import { CommandError, runCommand, UsageError } from '../run-command.ts';
import { defaultPlaces, type ServerPlaces, serverNames } from '../secrets/list-secrets.ts';
import {
  addSecrets,
  completeSecrets,
  finishRotation,
  givenPaths,
  type Rotatable,
  readSecret,
  readSecrets,
  rotatable,
  rotateSecrets,
  toManifests,
  toNamespace,
} from '../secrets/secrets-folder.ts';

const services = ['proxy', 'writer', 'management'];
const databaseUrls = [...services, 'migrator', 'admin'].map((user) => `${user}/database-url`);
type Place = 'postgres' | 'nats' | 'redis' | 'database';
/** The files that contain each place, and the default port of its clients. */
const uses: Record<Place, { paths: readonly string[]; port?: number }> = {
  postgres: { paths: databaseUrls, port: 5432 },
  nats: { paths: [...services, 'operator'].map((user) => `${user}/nats-url`), port: 4222 },
  redis: { paths: [...services, 'operator'].map((user) => `${user}/redis-url`), port: 6379 },
  database: { paths: databaseUrls },
};
const options = Object.keys(uses) as Place[];

/** Checks that existing URLs, which are not written again, name the places that were asked for, with TLS if that was. */
function checkPlaces(folder: string, asked: Partial<Pick<ServerPlaces, Place>>, tls: Tls): void {
  const problems = options.flatMap((option) => {
    const place = asked[option];
    const paths = place === undefined ? [] : uses[option].paths.filter((path) => differs(folder, path, option, place));
    return paths.length === 0 ? [] : [`--${option} ${place}: it is another one in ${paths.join(', ')}`];
  });
  problems.push(...findTlsFaults(folder, tls));
  if (problems.length === 0) return;
  const advice = `What is there stays: change these files of ${folder}, or name another folder with --folder. Nothing was written.`;
  throw new CommandError([...problems, advice].join('\n'));
}

/** @throws UsageError for what is no address of a server, of a cluster's, or of sentinels */
function assurePlaces(asked: Partial<Pick<ServerPlaces, Place>>): void {
  const server = String.raw`(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?`;
  const list = new RegExp(`^${server}(?:,${server})*$`);
  const sentinels = new RegExp(`^sentinel://${server}(?:,${server})*/[A-Za-z0-9._-]+$`);
  for (const option of ['postgres', 'nats', 'redis'] as const) {
    const place = asked[option];
    if (place === undefined || list.test(place) || (option === 'redis' && sentinels.test(place))) continue;
    throw new UsageError(`--${option}: ${place} must be host:port, several of one cluster after commas`);
  }
}

type Tls = Required<Pick<ServerPlaces, 'tls' | 'hasAuthority'>>;

function findTlsFaults(folder: string, { tls, hasAuthority }: Tls): string[] {
  const isOpen = (url: string) => !/^(?:tls|rediss)\b|[?&]sslmode=(?!disable)/.test(url);
  const hasNoAuthority = (url: string) => !/[?&]sslrootcert=/.test(url);
  const asked = tls.map((server) => ({ option: `--tls ${server}`, paths: uses[server].paths, isFaulty: isOpen }));
  if (hasAuthority) asked.push({ option: '--authority', paths: databaseUrls, isFaulty: hasNoAuthority });
  return asked.flatMap(({ option, paths, isFaulty }) => {
    const faulty = paths.filter((path) => {
      const url = splitLines(readSecret(folder, path) ?? '').at(-1);
      return url !== undefined && isFaulty(url);
    });
    return faulty.length === 0 ? [] : [`${option}: not so in ${faulty.join(', ')}`];
  });
}

function differs(folder: string, path: string, option: Place, place: string): boolean {
  const url = splitLines(readSecret(folder, path) ?? '').at(-1);
  if (url === undefined) return false;
  return option === 'database' ? takeApart(url).path !== place : spellOut(url, option) !== spellOut(place, option);
}

function takeApart(url: string) {
  const bare = url.replace(/[a-z+]+:\/\/(?:[^@/?,]*@)?/g, '');
  const [, servers = '', path = ''] = /^([^/?]*)(?:\/([^?]*))?/.exec(bare) ?? [];
  return { servers, path: decodeURIComponent(path) };
}

function spellOut(text: string, option: Place): string {
  const { servers, path } = takeApart(text);
  const isSentinel = /^(?:rediss?\+)?sentinel:/.test(text);
  const usualPort = isSentinel ? 26379 : uses[option].port;
  const withPort = (server: string) => (/:\d+$/.test(server) ? server : `${server}:${usualPort}`);
  const list = servers.split(',').map((server) => withPort(server.trim().toLowerCase()));
  return (isSentinel ? [...list, path] : list).join();
}

const help = `Makes the passwords, keys and server configurations of a deployment, each once: what is there stays.

usage: npm run secrets                               writes what is missing to the folder secrets/
       npm run secrets -- --rotate <role>            new passwords for one role, in every file that holds one; in its own
                                                     URLs, and for Redis, beside the old ones
       npm run secrets -- --finish <role>            drops those, once the servers take the new ones
       npm run --silent secrets -- --kubernetes      writes what is missing and prints all of it for "kubectl apply -f -"

  --folder <path>        another folder than secrets
  --namespace <name>     of the Kubernetes Secrets; agp if not given. --with-namespace prints it too
  --instance <word>      what their names begin with, as INSTANCE of settings.env; agp if not given
  --postgres, --nats, --redis <host:port>, --database <name>
                         where the servers are; ${defaultPlaces.postgres}, ${defaultPlaces.nats}, ${defaultPlaces.redis}, ${defaultPlaces.database} if not given. They count
                         for what is not there yet; URLs that are there must say what you give. Several of one
                         cluster stand after commas, Redis' sentinels as sentinel://<host:port>,<host:port>/<master's name>
  --tls <postgres,nats,redis>, --authority
                         the new URLs of which ask for TLS, and whether k8s/components/private-ca has Postgres' authority
  --add <path>=<file>    takes a file into the folder; may be given several times. The path is one of
${givenPaths.map((path) => `                         ${path}\n`).join('')}
Roles: ${rotatable.join(', ')}.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

function readServers(text: string) {
  return text
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const server = serverNames.find((name) => name === each.trim());
      if (server === undefined) throw new UsageError(`--tls: ${each} must be one of ${serverNames.join(', ')}`);
      return server;
    });
}

await runCommand({
  help,
  options: {
    kubernetes: { type: 'boolean', default: false },
    rotate: { type: 'string' },
    finish: { type: 'string' },
    folder: { type: 'string', default: 'secrets' },
    namespace: { type: 'string', default: 'agp' },
    instance: { type: 'string', default: 'agp' },
    postgres: { type: 'string' },
    nats: { type: 'string' },
    redis: { type: 'string' },
    database: { type: 'string' },
    tls: { type: 'string', default: '' },
    authority: { type: 'boolean', default: false },
    add: { type: 'string', multiple: true, default: [] },
    'with-namespace': { type: 'boolean', default: false },
  },
  run({
    kubernetes,
    rotate,
    finish,
    namespace,
    instance,
    folder: path,
    tls: tlsText,
    authority,
    add,
    'with-namespace': withNamespace,
    ...asked
  }) {
    const tls = readServers(tlsText);
    if (rotate !== undefined && finish !== undefined) throw new UsageError('--rotate and --finish exclude each other');
    const named = rotate ?? finish;
    const role = rotatable.find((known) => known === named);
    if (named !== undefined && role === undefined) throw new UsageError(`no role is called ${named}`);
    const folder = resolve(path);
    assurePlaces(asked);
    if (authority && !tls.includes('postgres') && readSecret(folder, 'proxy/database-url') === undefined)
      throw new UsageError("--authority: is of Postgres' certificate: name postgres in --tls too");
    checkPlaces(folder, asked, { tls, hasAuthority: authority });
    const places = { ...defaultPlaces, ...asked, tls, hasAuthority: authority };
    const added = addSecrets(folder, add);
    const change = (named: Rotatable) =>
      finish === undefined ? rotateSecrets(folder, places, named) : finishRotation(folder, named);
    const written = role === undefined ? completeSecrets(folder, places) : change(role);
    // On standard error: with --kubernetes, standard output is for kubectl.
    for (const path of [...added, ...written]) console.error(`written ${path}`);
    if (added.length + written.length === 0) console.error(`${folder} is complete`);
    if (!kubernetes) return;
    const { items, ...list } = toManifests(readSecrets(folder, places), namespace, instance);
    console.log(
      JSON.stringify({ ...list, items: [...(withNamespace ? [toNamespace(namespace)] : []), ...items] }, null, 2),
    );
  },
});
