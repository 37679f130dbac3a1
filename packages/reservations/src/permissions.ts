import { createHash } from 'node:crypto';

/** Only the proxy has the commands that make a reservation (HSET, ZADD, INCR); the others can release and read. */

export const redisUsers = ['proxy', 'writer', 'management', 'operator'] as const;
export type RedisUser = (typeof redisUsers)[number];

interface RedisPermissions {
  keys: readonly string[];
  commands: readonly string[];
}

/** Commands of the client itself: it checks whether Redis is up, and loads scripts. */
const connecting = ['info', 'ping', 'eval', 'evalsha', 'script|exists', 'script|load'];
const throttling = ['set', 'incrby', 'pttl', 'expire'];
const releasing = ['time', 'hget', 'hgetall', 'hdel', 'hincrby', 'zrem'];
const budgetKeys = 'agp:{budget}:';

const redisPermissions: Readonly<Record<RedisUser, RedisPermissions>> = {
  proxy: {
    keys: [
      budgetKeys,
      'agp:idle-session:',
      'agp:session-labels:',
      'agp:throttle:registrations:',
      'agp:throttle:exchanges:',
    ],
    commands: [
      ...connecting,
      ...throttling,
      ...releasing,
      ...['get', 'hexists', 'hmget', 'hset', 'incr', 'pexpire', 'zadd', 'zrangebyscore'],
      // For an operator: any user can start a script that never ends, which blocks Redis.
      'script|kill',
    ],
  },
  // Finds reservations whose lease has ended.
  writer: { keys: [budgetKeys], commands: [...connecting, ...releasing, 'zrangebyscore'] },
  // Drops reservations whose lease has ended before it shows the rest.
  management: {
    keys: [budgetKeys, 'agp:throttle:management-auth:'],
    commands: [...connecting, ...throttling, ...releasing, 'zrangebyscore'],
  },
  // Lets Redis read its ACL file again once passwords in it have changed.
  operator: { keys: [], commands: ['info', 'ping', 'acl|load'] },
};

interface RedisAclOptions {
  /** Several of one user while they are changed. */
  passwords: Readonly<Record<RedisUser, string | readonly string[]>>;
  /** The password of the user `default`, who may do everything. Without one the user is switched off. */
  administratorPassword?: string;
}

/** A Redis ACL file, whose lines are also valid in Redis' configuration (Redis 6 or later). Passwords are SHA-256, enough for random ones. */
export function renderRedisAcl({ passwords, administratorPassword }: RedisAclOptions): string {
  const administrator =
    administratorPassword === undefined ? 'reset' : `reset on ${hash(administratorPassword)} ~* &* +@all`;
  const users = redisUsers.map((user) => {
    const { keys, commands } = redisPermissions[user];
    const rules = [...keys.map((key) => `~${key}*`), ...commands.map((command) => `+${command}`)];
    return `user ${user} reset on ${[passwords[user]].flat().map(hash).join(' ')} ${rules.join(' ')}`;
  });
  return `${[`user default ${administrator}`, ...users].join('\n')}\n`;
}

const hash = (password: string) => `#${createHash('sha256').update(password).digest('hex')}`;
