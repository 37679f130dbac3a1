import { apiKeyListSchema, createdApiKeySchema } from '@agp/core/contracts';
import { createLogger } from '@agp/runtime';
import { expect, test } from 'vitest';
import { startManagement } from '../src/start-management.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
const statusOf = async (secret: string) => (await management.call('/api/v1/agents', bearer(secret))).status;

async function makeKey(fields: object = {}) {
  const response = await management.send('POST', '/api/v1/keys', { name: 'rotated', scopes: ['read'], ...fields });
  return createdApiKeySchema.parse(await response.json());
}

async function rotate(id: string, body?: object) {
  const path = `/api/v1/keys/${id}/rotate`;
  const response = await (body ? management.send('POST', path, body) : management.call(path, { method: 'POST' }));
  expect(response.status).toBe(200);
  return createdApiKeySchema.parse(await response.json());
}

const endOverlap = (id: string) =>
  management.database.pool.query('UPDATE api_keys SET previous_expires_at = clock_timestamp() WHERE id = $1', [id]);
const readUuid = async (name: string) =>
  (await management.database.pool.query<{ id: string }>('SELECT id FROM api_keys WHERE name = $1', [name])).rows[0]
    ?.id ?? '';

test('without an overlap the new secret works and the old one does not, from the same moment', async () => {
  const key = await makeKey();
  const rotated = await rotate(key.id);
  expect(rotated).toMatchObject({ id: key.id, name: key.name, scopes: key.scopes, previous_secret_expires_at: null });
  expect(rotated.secret).not.toBe(key.secret);
  expect([await statusOf(key.secret), await statusOf(rotated.secret)]).toEqual([401, 200]);
});

test('within an overlap both work, and the key says until when', async () => {
  const key = await makeKey({ name: 'overlapping' });
  const before = Date.now();
  const rotated = await rotate(key.id, { overlap_seconds: 3_600 });
  const end = Date.parse(rotated.previous_secret_expires_at ?? '');
  expect(end).toBeGreaterThanOrEqual(before + 3_600_000);
  expect(end).toBeLessThanOrEqual(Date.now() + 3_600_000);
  expect([await statusOf(key.secret), await statusOf(rotated.secret)]).toEqual([200, 200]);
  const { secret, ...listed } = rotated;
  const keys = await management.read('/api/v1/keys', apiKeyListSchema);
  const shown = keys.find(({ id }) => id === key.id);
  expect({ ...shown, last_used_at: null }).toEqual({ ...listed, last_used_at: null });
  expect(JSON.stringify(keys)).not.toContain(secret);

  await endOverlap(await readUuid('overlapping'));
  expect([await statusOf(key.secret), await statusOf(rotated.secret)]).toEqual([401, 200]);
  const after = (await management.read('/api/v1/keys', apiKeyListSchema)).find(({ id }) => id === key.id);
  expect(after?.previous_secret_expires_at).toBeNull();
});

test('a second rotation within the overlap ends the first secret', async () => {
  const first = await makeKey();
  const second = await rotate(first.id, { overlap_seconds: 604_800 });
  const third = await rotate(first.id, { overlap_seconds: 60 });
  expect([await statusOf(first.secret), await statusOf(second.secret), await statusOf(third.secret)]).toEqual([
    401, 200, 200,
  ]);
  const fourth = await rotate(first.id, {});
  expect([await statusOf(second.secret), await statusOf(third.secret), await statusOf(fourth.secret)]).toEqual([
    401, 401, 200,
  ]);
});

test('rotations at the same time leave one new secret and one old one', async () => {
  const key = await makeKey();
  const rotated = await Promise.all(Array.from({ length: 8 }, () => rotate(key.id, { overlap_seconds: 60 })));
  const statuses = await Promise.all([key, ...rotated].map(({ secret }) => statusOf(secret)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  expect(statuses[0]).toBe(401);
});

test('deleting the key ends both secrets, and an expiry holds for both', async () => {
  const deleted = await makeKey();
  const afterwards = await rotate(deleted.id, { overlap_seconds: 60 });
  expect((await management.call(`/api/v1/keys/${deleted.id}`, { method: 'DELETE' })).status).toBe(204);
  expect([await statusOf(deleted.secret), await statusOf(afterwards.secret)]).toEqual([401, 401]);

  const ending = await makeKey({ name: 'ending', expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  const next = await rotate(ending.id, { overlap_seconds: 60 });
  await management.database.pool.query("UPDATE api_keys SET expires_at = clock_timestamp() WHERE name = 'ending'");
  expect([await statusOf(ending.secret), await statusOf(next.secret)]).toEqual([401, 401]);
  const refused = await management.call(`/api/v1/keys/${ending.id}/rotate`, { method: 'POST' });
  await management.refuse(refused, 409, 'the key has expired');
});

test.each([
  ['below 0', { overlap_seconds: -1 }, /^overlap_seconds: /],
  ['over a week', { overlap_seconds: 604_801 }, /^overlap_seconds: /],
  ['of a fraction', { overlap_seconds: 1.5 }, /^overlap_seconds: /],
  ['that is no number', { overlap_seconds: '60' }, /^overlap_seconds: /],
  ['next to another field', { overlap_seconds: 1, secret: 'mine' }, /^secret: unknown field/],
  ['in no object', [], /^body: /],
])('an overlap %s is refused', async (_what, body, error) => {
  const key = await makeKey();
  const response = await management.send('POST', `/api/v1/keys/${key.id}/rotate`, body);
  await management.refuse(response, 400, error);
  expect(await statusOf(key.secret)).toBe(200);
});

test('unknown keys and the bootstrap key are not rotated', async () => {
  for (const id of ['key_01k9r3v8w5f2q8m6t4n0x7y1zd', 'x', '%00']) {
    const response = await management.call(`/api/v1/keys/${id}/rotate`, { method: 'POST' });
    await management.refuse(response, 404, 'key not found');
  }
  const [bootstrap] = await management.read('/api/v1/keys', apiKeyListSchema);
  const response = await management.call(`/api/v1/keys/${bootstrap?.id}/rotate`, { method: 'POST' });
  await management.refuse(response, 409, 'the bootstrap key is set by MANAGEMENT_API_KEY and changed there');
  expect((await management.call('/api/v1/agents')).status).toBe(200);
});

test('a live stream ends with the secret that it was opened with, not with the key', async () => {
  const key = await makeKey({ name: 'streaming' });
  const rotated = await rotate(key.id, { overlap_seconds: 3_600 });
  const open = async (secret: string) => {
    const { body } = await management.call('/api/v1/events/stream', bearer(secret));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    let ended = false;
    const end = (async () => {
      while (!(await reader.read()).done);
      ended = true;
    })();
    return { end, hasEnded: () => ended, leave: () => reader.cancel() };
  };
  const [withOld, withNew] = [await open(key.secret), await open(rotated.secret)];
  await endOverlap(await readUuid('streaming'));
  await withOld.end;
  expect(withNew.hasEnded()).toBe(false);
  await rotate(key.id);
  await withNew.end;
});

test('the bootstrap key cannot be given the secret that a rotated key had before', async () => {
  const key = await makeKey();
  await rotate(key.id, { overlap_seconds: 60 });
  const config = { ...management.config, managementApiKey: key.secret };
  const start = startManagement(config, { logger: createLogger('management', 'silent') });
  await expect(start).rejects.toThrow(/^MANAGEMENT_API_KEY: /);
  expect((await management.call('/api/v1/agents')).status).toBe(200);
});
