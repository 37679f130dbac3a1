import { expect, test } from 'vitest';
import { z } from 'zod';
import { portField } from './config-fields.ts';
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

test('what is right is taken, and what is not set has its default', () => {
  expect(load({ PORT: '0', LANES: '64', AUDIT: 'true' })).toMatchObject({
    port: 0,
    lanes: 64,
    edition: 'base',
    audit: 'true',
  });
});
