import { loadConfig } from '@agp/runtime';
import { expect, test } from 'vitest';
import { managementConfigSchema } from './management.ts';

const needed = {
  DATABASE_URL: 'postgres://localhost/agp',
  NATS_URL: 'nats://localhost',
  REDIS_URL: 'redis://localhost',
  MANAGEMENT_API_KEY: 'sixteen-characters',
};
const load = (environment: Record<string, string>) => loadConfig(managementConfigSchema, { ...needed, ...environment });

test('what is not set has the documented default', () => {
  expect(load({})).toMatchObject({ managementPort: 8081, opsPort: 9081, edition: 'extended', trustProxy: 0 });
});

test.each([
  ['1', 1],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['10.0.0.1, fd00::/8', ['10.0.0.1', 'fd00::/8']],
])('TRUST_PROXY takes %s', (value, expected) => {
  expect(load({ TRUST_PROXY: value }).trustProxy).toEqual(expected);
});

test.each(['true', '-1', '10.0.0.0/33', '10.0.0.0/x', 'localhost', '10.0.0.1,', '1/2/3'])(
  'TRUST_PROXY refuses %s',
  (value) => {
    expect(() => load({ TRUST_PROXY: value })).toThrow(/TRUST_PROXY/);
  },
);

test('a short key and an unknown edition are refused, without showing the key', () => {
  expect(() => load({ MANAGEMENT_API_KEY: 'hunter2' })).toThrow(/^MANAGEMENT_API_KEY: (?!.*hunter2)/);
  expect(() => load({ EDITION: 'free' })).toThrow(/EDITION/);
});
