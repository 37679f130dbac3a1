import { natsUsers, renderNatsConfig } from '@agp/bus/permissions';
import { splitLines } from '@agp/core/login-urls';
import { redisUsers, renderRedisAcl } from '@agp/reservations/permissions';
import {
  completePasswords,
  type DatabasePasswords,
  databaseUsers,
  makePassword,
  type NatsUser,
  type RedisUser,
  toDatabaseUrls,
  toUserUrl,
} from '../role-urls.ts';

/** All secrets of a deployment are derived from these. */
export interface Passwords {
  /** The superuser's. */
  postgres: string;
  database: DatabasePasswords;
  nats: Record<NatsUser, string>;
  redis: Record<RedisUser, string>;
  /** Those that Redis takes beside the new ones, until their change is finished. */
  oldRedis: Partial<Record<RedisUser, string>>;
  managementApiKey: string;
  grafanaAdmin: string;
}

/** Reads a secret by its path below the folder, such as `proxy/nats-url`; undefined if it does not exist. */
type ReadSecret = (path: string) => string | undefined;

/** `scheme://user:password@`, once for each server of a cluster. */
const credentials = /([a-z]+:\/\/[^:@/]*):([^@/]*)@/g;

/** The known passwords, and new ones for the others. */
export function readPasswords(read: ReadSecret): Passwords {
  const fromUrl = (path: string) => readUrlPassword(splitLines(read(path) ?? '').at(-1));
  const oldRedis: Passwords['oldRedis'] = {};
  for (const user of redisUsers) {
    const [old, next] = splitLines(read(`${user}/redis-url`) ?? '');
    const password = next === undefined ? undefined : readUrlPassword(old);
    if (password !== undefined) oldRedis[user] = password;
  }
  const known = <User extends string>(users: readonly User[], find: (user: User) => string | undefined) => {
    const found: Partial<Record<User, string>> = {};
    for (const user of users) {
      const password = find(user);
      if (password !== undefined) found[user] = password;
    }
    return completePasswords(users, found);
  };
  return {
    postgres: read('postgres/password') ?? fromUrl('admin/database-url') ?? makePassword(),
    database: known(
      databaseUsers,
      (user) => fromUrl(`${user}/database-url`) ?? read(`${user}/database-password`) ?? read(`admin/${user}-password`),
    ),
    nats: known(natsUsers, (user) => fromUrl(`${user}/nats-url`)),
    redis: known(redisUsers, (user) => fromUrl(`${user}/redis-url`)),
    oldRedis,
    managementApiKey: read('management/management-api-key') ?? `agm_${makePassword()}`,
    grafanaAdmin: read('grafana/admin-password') ?? makePassword(),
  };
}

function readUrlPassword(url: string | undefined): string | undefined {
  const [found] = url?.matchAll(credentials) ?? [];
  return found?.[2] === undefined ? undefined : decodeURIComponent(found[2]);
}

/** The same URL, of one server or several, with another password. */
export function replacePassword(url: string, password: string): string {
  return url.replace(credentials, `$1:${password}@`);
}

/** The addresses of a deployment's servers, each as `host:port`; several of a cluster after commas. */
export interface ServerPlaces {
  postgres: string;
  nats: string;
  /** Or of its sentinels, with their name for the master: `sentinel://host:port,host:port/name`. */
  redis: string;
  /** The name of the database. */
  database: string;
  /** Servers that are connected to with TLS. */
  tls?: readonly ServerName[];
  /** Whether Postgres' certificate is of an authority of one's own, whose file pods have as {@link authorityFile}. */
  hasAuthority?: boolean;
}

export const serverNames = ['postgres', 'nats', 'redis'] as const;
type ServerName = (typeof serverNames)[number];

/** Where `k8s/components/private-ca` mounts the authority's certificate. */
export const authorityFile = '/etc/agp-ca/ca.crt';

export const defaultPlaces: ServerPlaces = {
  postgres: 'postgres:5432',
  nats: 'nats:4222',
  redis: 'redis:6379',
  database: 'agp',
};

const services = ['proxy', 'writer', 'management'] as const;

/** Every secret by its path: the folder names its receiver, the file is the name that programs look for. */
export function listSecrets(passwords: Passwords, places: ServerPlaces): Map<string, string> {
  const hasTls = (server: ServerName) => places.tls?.includes(server) ?? false;
  const parameters = `?sslmode=verify-full${places.hasAuthority ? `&sslrootcert=${authorityFile}` : ''}`;
  const database = `postgres://${places.postgres}/${places.database}${hasTls('postgres') ? parameters : ''}`;
  const natsUrl = `${hasTls('nats') ? 'tls' : 'nats'}://${places.nats}`;
  const redisScheme = hasTls('redis') ? 'rediss' : 'redis';
  const redisUrl = redisScheme + (places.redis.startsWith('sentinel://') ? '+' : '://') + places.redis;
  const databaseUrlOf = toDatabaseUrls(database, passwords.database);
  const secrets = new Map<string, string>();
  for (const name of services) {
    secrets.set(`${name}/database-url`, databaseUrlOf(name));
    secrets.set(`${name}/nats-url`, toUserUrl(natsUrl, name, passwords.nats[name]));
    secrets.set(`${name}/redis-url`, toUserUrl(redisUrl, name, passwords.redis[name]));
  }
  secrets.set('management/management-api-key', passwords.managementApiKey);
  secrets.set('migrator/database-url', databaseUrlOf('migrator'));
  secrets.set('operator/nats-url', toUserUrl(natsUrl, 'operator', passwords.nats.operator));
  secrets.set('operator/redis-url', toUserUrl(redisUrl, 'operator', passwords.redis.operator));
  secrets.set('admin/database-url', toUserUrl(database, 'postgres', passwords.postgres));
  for (const user of databaseUsers) secrets.set(`admin/${user}-password`, passwords.database[user]);
  secrets.set('postgres/password', passwords.postgres);
  secrets.set('grafana/admin-password', passwords.grafanaAdmin);
  secrets.set('grafana/database-password', passwords.database.grafana);
  return secrets;
}

/** The servers' own configuration, by its path. */
export function listServerConfigs({ nats, redis, oldRedis }: Passwords): Map<string, string> {
  const note = '# Made by "npm run secrets", which overwrites it.\n';
  // A single server must sync an event to disk before it confirms it; the default is every two minutes. Needs NATS 2.10.
  const config = renderNatsConfig({ passwords: nats, storeFolder: '/data', jetstream: { sync_interval: 'always' } });
  const redisPasswords = Object.fromEntries(
    redisUsers.map((user) => [user, [oldRedis[user] ?? [], redis[user]].flat()]),
  ) as Record<RedisUser, string[]>;
  return new Map([
    ['nats/nats.conf', note + config],
    // Redis allows no comment in an ACL file.
    ['redis/users.acl', renderRedisAcl({ passwords: redisPasswords })],
  ]);
}
