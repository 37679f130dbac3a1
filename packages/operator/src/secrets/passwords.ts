import { natsUsers } from '@agp/bus/permissions';
import { redisUsers } from '@agp/reservations/permissions';
import {
  completePasswords,
  type DatabasePasswords,
  databaseUsers,
  makePassword,
  type NatsUser,
  type RedisUser,
} from '../role-urls.ts';

/** All secrets of a deployment are derived from these. */
export interface Passwords {
  /** The superuser's. */
  postgres: string;
  database: DatabasePasswords;
  nats: Record<NatsUser, string>;
  redis: Record<RedisUser, string>;
  managementApiKey: string;
  grafanaAdmin: string;
}

/** Reads a secret by its path below the folder, such as `proxy/nats-url`; undefined if it does not exist. */
type ReadSecret = (path: string) => string | undefined;

/** `scheme://user:password@`, once for each server of a cluster. */
const credentials = /([a-z]+:\/\/[^:@/]*):([^@/]*)@/g;

/** The known passwords, and new ones for the others. */
export function readPasswords(read: ReadSecret): Passwords {
  const fromUrl = (path: string) => readUrlPassword(read(path));
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
