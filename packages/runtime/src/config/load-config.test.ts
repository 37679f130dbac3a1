import { expect, test } from 'vitest';
import { z } from 'zod';
import { commonFields, portField } from './config-fields.ts';
import { ConfigError, loadConfig } from './load-config.ts';

const schema = z.object({
  port: portField.default(1),
  lanes: z.coerce.number().int().min(1).max(64).default(4),
  edition: z.enum(['extended', 'base']).default('base'),
  audit: z.enum(['true', 'false']).optional(),
  secretKey: z.string().min(16).default('sixteen-characters'),
  databaseUrl: z.string().min(1),
});
const load = (environment: Record<string, string>) =>
  loadConfig(schema, { DATABASE_URL: 'postgres://x', ...environment });
const range = 'must be a whole number from 0 to 65535';

test.each([
  [{ PORT: 'abc' }, `PORT: ${range}`],
  [{ PORT: '-1.5' }, `PORT: ${range}`],
  [{ PORT: '65536' }, `PORT: ${range}`],
  [{ LANES: 'many' }, 'LANES: must be a whole number'],
  [{ LANES: '1.5' }, 'LANES: must be a whole number'],
  [{ LANES: '0' }, 'LANES: must be at least 1'],
  [{ LANES: '65' }, 'LANES: must be at most 64'],
  [{ EDITION: 'free' }, 'EDITION: must be one of extended, base'],
  [{ AUDIT: 'yes' }, 'AUDIT: must be one of true, false'],
  [{ SECRET_KEY: 'hunter2' }, 'SECRET_KEY: must have at least 16 characters'],
  [{ DATABASE_URL: '' }, 'DATABASE_URL: is not set'],
  [{ PORT: '-1', EDITION: 'free' }, `PORT: ${range}\nEDITION: must be one of extended, base`],
])('%o is refused in plain words', (environment, message) => {
  expect(() => load(environment)).toThrow(new ConfigError(message));
});

test('valid values are read, and unset variables have their defaults', () => {
  expect(load({ PORT: '0', LANES: '64', AUDIT: 'true' })).toMatchObject({
    port: 0,
    lanes: 64,
    edition: 'base',
    audit: 'true',
  });
});

const { databaseUrl, natsUrl, redisUrl } = commonFields;
const right = {
  DATABASE_URL: 'postgres://u:p@h/agp?sslmode=verify-full',
  NATS_URL: 'nats://h',
  REDIS_URL: 'rediss://h:1',
};
const loadUrls = (environment: Record<string, string>) =>
  loadConfig(z.object({ databaseUrl, natsUrl, redisUrl }), { ...right, ...environment });

test.each([
  ['DATABASE_URL', 'hunter2', 'must begin with postgres:// or postgresql://'],
  ['DATABASE_URL', 'postgres://u:hunter2/@h:5432/agp', 'is not a URL'],
  ['NATS_URL', 'http://u:hunter2@h', 'must begin with nats:// or tls://'],
  ['NATS_URL', 'nats://u:hunter2%zz@h', 'is not a URL'],
  ['NATS_URL', 'nats://a,http://b', 'must begin with nats:// or tls://'],
  ['REDIS_URL', 'hunter2', 'must begin with redis:// or rediss://'],
  ['REDIS_URL', 'http://hunter2', 'must begin with redis:// or rediss://'],
  ['REDIS_URL', 'redis://u:hunter2%zz@h', 'is not a URL'],
  ['REDIS_URL', 'redis://u:hunter2@one,two', 'names several servers'],
  ['REDIS_URL', 'redis+sentinel://u:hunter2@one:26379', "must end with the sentinels' name"],
  ['DATABASE_URL', 'postgres://one,two/agp', 'names several servers'],
  ['REDIS_URL', 'redis+sentinel://one,/main', 'names a server without a host'],
])('%s=%s is refused and not quoted', (name, url, message) => {
  expect(() => loadUrls({ [name]: url })).toThrow(`${name}: ${message}`);
  expect(() => loadUrls({ [name]: url })).not.toThrow('hunter2');
});

test.each([
  ['DATABASE_URL', 'postgresql:///agp?host=/var/run/postgresql'],
  ['NATS_URL', 'tls://u:p%40@a, b:5222,tls://c'],
  ['NATS_URL', 'nats:4222'],
  ['REDIS_URL', 'redis://127.0.0.1:6379/0'],
  ['REDIS_URL', 'rediss+sentinel://u:p@one,two:26379/mymaster?sentinel_password=s'],
  ['DATABASE_URL', 'postgres://u:p,@[::1]:5432/agp?sslmode=verify-full'],
])('%s=%s is valid', (name, url) => {
  expect(Object.values(loadUrls({ [name]: url }))).toContain(url);
});
