/** The users of a database, each a Postgres role `agp_<name>`. */
export const databaseUsers = ['proxy', 'writer', 'management', 'migrator', 'grafana'] as const;
export type DatabaseUser = (typeof databaseUsers)[number];

/** A password for each. */
export type DatabasePasswords = Record<DatabaseUser, string>;

export const natsUsers = ['proxy', 'writer', 'management', 'operator'] as const;
export type NatsUser = (typeof natsUsers)[number];

export const redisUsers = ['proxy', 'writer', 'management'] as const;
export type RedisUser = (typeof redisUsers)[number];

/** Where a service reaches its servers. */
export interface ServiceUrls<Nats = string, Redis = string> {
  databaseUrl: string;
  natsUrl: Nats;
  redisUrl: Redis;
}

/** Where each role reaches the servers that it uses, as a user of its own with no more rights than it needs. */
export interface RoleUrls<Nats = string, Redis = string> {
  proxy: ServiceUrls<Nats, Redis>;
  writer: ServiceUrls<Nats, Redis>;
  management: ServiceUrls<Nats, Redis>;
  migrator: { databaseUrl: string };
  grafana: { databaseUrl: string };
  operator: { natsUrl: Nats };
}

/** What gives each user its URL of a server. */
export interface UserUrls<Nats = string, Redis = string> {
  databaseUrl(user: DatabaseUser): string;
  natsUrl(user: NatsUser): Nats;
  redisUrl(user: RedisUser): Redis;
}

export function toRoleUrls<Nats, Redis>({
  databaseUrl,
  natsUrl,
  redisUrl,
}: UserUrls<Nats, Redis>): RoleUrls<Nats, Redis> {
  const ofService = (name: RedisUser) => ({
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
    operator: { natsUrl: natsUrl('operator') },
  };
}

/** The same server, as another user. */
export function toUserUrl(serverUrl: string, user: string, password: string): string {
  return Object.assign(new URL(serverUrl), { username: user, password }).href;
}
