import { createHash } from 'node:crypto';

/*
 * Who may do what on Redis: commands, those within scripts included, on keys of some beginnings. Whatever is not said here is refused.
 * Only the proxy has what makes a reservation (HSET, ZADD, INCR); the others can give back and read.
 */

export const redisUsers = ['proxy', 'writer', 'management'] as const;
export type RedisUser = (typeof redisUsers)[number];

export interface RedisPermissions {
  /** Beginnings of keys. */
  keys: readonly string[];
  /** As Redis' ACL names them. */
  commands: readonly string[];
}

/** What the client itself sends: it looks whether Redis is up, and loads its scripts. */
const connecting = ['info', 'ping', 'eval', 'evalsha', 'script|exists', 'script|load'];
const throttling = ['set', 'incrby', 'pttl', 'expire'];
const releasing = ['time', 'hget', 'hgetall', 'hdel', 'hincrby', 'zrem'];
const budgetKeys = 'agp:{budget}:';

export const redisPermissions: Readonly<Record<RedisUser, RedisPermissions>> = {
  proxy: {
    keys: [budgetKeys, 'agp:idle-session:', 'agp:throttle:registrations:'],
    commands: [
      ...connecting,
      ...throttling,
      ...releasing,
      ...['get', 'hexists', 'hset', 'incr', 'pexpire', 'zadd', 'zrangebyscore'],
      // For an operator: any user can begin a script that never ends, and Redis then answers nothing else.
      'script|kill',
    ],
  },
  // Finds what has outlived its lease.
  writer: { keys: [budgetKeys], commands: [...connecting, ...releasing, 'zrangebyscore'] },
  // Drops what has outlived its lease without being forwarded before it shows what is held.
  management: {
    keys: [budgetKeys, 'agp:throttle:management-auth:'],
    commands: [...connecting, ...throttling, ...releasing, 'zrangebyscore'],
  },
};

export interface RedisAclOptions {
  passwords: Readonly<Record<RedisUser, string>>;
  /** The password of the user `default`, who may then do everything. Left out, nobody may. */
  administratorPassword?: string;
}

/**
 * The lines of a Redis ACL file, which are also lines of its configuration. Passwords stand in it as SHA-256, which is enough for random
 * ones. Understood from Redis 6 on.
 */
export function renderRedisAcl({ passwords, administratorPassword }: RedisAclOptions): string {
  const administrator =
    administratorPassword === undefined ? 'reset' : `reset on ${hash(administratorPassword)} ~* &* +@all`;
  const users = redisUsers.map((user) => {
    const { keys, commands } = redisPermissions[user];
    const rules = [...keys.map((key) => `~${key}*`), ...commands.map((command) => `+${command}`)];
    return `user ${user} reset on ${hash(passwords[user])} ${rules.join(' ')}`;
  });
  return `${[`user default ${administrator}`, ...users].join('\n')}\n`;
}

const hash = (password: string) => `#${createHash('sha256').update(password).digest('hex')}`;
