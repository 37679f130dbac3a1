import { randomBytes } from 'node:crypto';
import { type NatsUser, natsUsers } from '@agp/bus/permissions';
import { type RoleKey, roleNames } from '@agp/db/roles';
import { type RedisUser, redisUsers } from '@agp/reservations/permissions';

export type { NatsUser, RedisUser };

/** The users of the database; each is a Postgres role of its own. */
export type DatabaseUser = RoleKey;
export const databaseUsers = Object.keys(roleNames) as DatabaseUser[];

export type DatabasePasswords = Record<DatabaseUser, string>;

/** A password for each user and for an administrator. */
export type NatsPasswords = Record<NatsUser | 'admin', string>;
export type RedisPasswords = Record<RedisUser | 'admin', string>;

export const makePassword = () => randomBytes(24).toString('base64url');

/** The known passwords, and new ones for the other users. */
export function completePasswords<User extends string>(
  users: readonly User[],
  known: Partial<Record<User, string>> = {},
): Record<User, string> {
  return Object.fromEntries(users.map((user) => [user, known[user] ?? makePassword()])) as Record<User, string>;
}

export const makeNatsPasswords = (known?: Partial<NatsPasswords>): NatsPasswords =>
  completePasswords([...natsUsers, 'admin'], known);
export const makeRedisPasswords = (known?: Partial<RedisPasswords>): RedisPasswords =>
  completePasswords([...redisUsers, 'admin'], known);

/** The URLs of a service's servers. */
export interface ServiceUrls<Nats = string, Redis = string> {
  databaseUrl: string;
  natsUrl: Nats;
  redisUrl: Redis;
}

/** The URLs of each role's servers, with a user of its own that has no more rights than it needs. */
export interface RoleUrls<Nats = string, Redis = string> {
  proxy: ServiceUrls<Nats, Redis>;
  writer: ServiceUrls<Nats, Redis>;
  management: ServiceUrls<Nats, Redis>;
  migrator: { databaseUrl: string };
  grafana: { databaseUrl: string };
  operator: { natsUrl: Nats; redisUrl: Redis };
}

/** Functions that give the URL of a server for a user. */
interface UserUrls<Nats = string, Redis = string> {
  databaseUrl(user: DatabaseUser): string;
  natsUrl(user: NatsUser): Nats;
  redisUrl(user: RedisUser): Redis;
}

export function toRoleUrls<Nats, Redis>({
  databaseUrl,
  natsUrl,
  redisUrl,
}: UserUrls<Nats, Redis>): RoleUrls<Nats, Redis> {
  const ofService = (name: Exclude<RedisUser, 'operator'>) => ({
    databaseUrl: databaseUrl(name),
    natsUrl: natsUrl(name),
    redisUrl: redisUrl(name),
  });
  return {
    proxy: ofService('proxy'),
    writer: ofService('writer'),
    management: ofService('management'),
    migrator: { databaseUrl: databaseUrl('migrator') },
    grafana: { databaseUrl: databaseUrl('grafana') },
    operator: { natsUrl: natsUrl('operator'), redisUrl: redisUrl('operator') },
  };
}

/** The URL of a server for each of its users. */
export function toUserUrls<User extends string>(
  serverUrl: string,
  passwords: Readonly<Record<User, string>>,
): (user: User) => string {
  return (user) => toUserUrl(serverUrl, user, passwords[user]);
}

/** The URL of a database for each of its users. */
export function toDatabaseUrls(
  databaseUrl: string,
  passwords: Readonly<DatabasePasswords>,
): (user: DatabaseUser) => string {
  return (user) => toUserUrl(databaseUrl, roleNames[user], passwords[user]);
}

/** The same server or servers, as another user. */
export function toUserUrl(serverUrl: string, user: string, password: string): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return serverUrl.replace(/^([a-z+]+:\/\/)(?:[^/?#]*@)?/, (_, scheme: string) => `${scheme}${login}`);
}
