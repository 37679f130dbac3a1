import { createHash, randomUUIDv7 } from 'node:crypto';
import { startTestStack } from '@agp/testing';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { keepBootstrapKey } from './api-keys.ts';

let database: Database;

beforeAll(async () => {
  const stack = await startTestStack();
  database = openDatabase({ url: stack.databaseUrl, applicationName: 'key-test', maxConnections: 4 });
  return async () => {
    await database.close();
    await stack[Symbol.asyncDispose]();
  };
});

const digest = (secret: string) => createHash('sha256').update(secret).digest();
const keep = (secret: string) => keepBootstrapKey(database.db, randomUUIDv7(), digest(secret));
const readKeys = async () => (await database.pool.query('SELECT * FROM api_keys ORDER BY name')).rows;

test('processes that start together on a new database all succeed, and leave one key', async () => {
  for (let round = 0; round < 20; round += 1) {
    await database.pool.query('TRUNCATE api_keys');
    expect(await Promise.all([keep('one'), keep('one'), keep('one')])).toEqual([true, true, true]);
    expect(await readKeys()).toMatchObject([{ name: 'bootstrap', secret_sha256: digest('one') }]);
    // A change of the secret under way: one of the two stays.
    expect(await Promise.all([keep('one'), keep('two')])).toEqual([true, true]);
    expect(await readKeys()).toHaveLength(1);
  }
});

test('the key has another id exactly where its secret is another', async () => {
  await keep('first');
  const [first] = await readKeys();
  await keep('first');
  expect(await readKeys()).toEqual([first]);
  await keep('second');
  const [second] = await readKeys();
  expect(second.id).not.toBe(first.id);
  expect(second).toMatchObject({ name: 'bootstrap', secret_sha256: digest('second') });
});

test.each([true, false])(
  'the secret of another key is refused, with a bootstrap key in place: %s',
  async (hasBootstrap) => {
    await database.pool.query('TRUNCATE api_keys');
    if (hasBootstrap) await keep('mine');
    await database.pool.query(
      "INSERT INTO api_keys (id, name, secret_sha256, scopes) VALUES ($1, 'viewer', $2, '{read}')",
      [randomUUIDv7(), digest('issued')],
    );
    const before = await readKeys();
    expect(await keep('issued')).toBe(false);
    expect(await readKeys()).toEqual(before);
  },
);
