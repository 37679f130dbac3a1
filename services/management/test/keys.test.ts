import { createHash } from 'node:crypto';
import { apiKeyListSchema, apiKeySchema, auditListSchema, createdApiKeySchema } from '@agp/core/contracts';
import { findApiKeys } from '@agp/db';
import { createLogger } from '@agp/runtime';
import { describe, expect, test } from 'vitest';
import { startManagement } from '../src/start-management.ts';
import { seedAgent } from './support/seed.ts';
import { bootstrapKey, shareTestManagement, startTestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

const digest = (secret: string) => createHash('sha256').update(secret).digest();

const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });

async function makeKey(scopes: string[], fields: object = {}) {
  const response = await management.send('POST', '/api/v1/keys', { name: scopes.join('+'), scopes, ...fields });
  expect(response.status).toBe(201);
  return createdApiKeySchema.parse(await response.json());
}

describe('API keys', () => {
  test('show their secret once, and only its digest is stored', async () => {
    const key = await makeKey(['read', 'write'], { name: 'dashboard' });
    expect(key.secret).toMatch(/^agm_[A-Za-z0-9_-]{43}$/);
    const { secret, ...listed } = key;
    const keys = await management.read('/api/v1/keys', apiKeyListSchema);
    expect(keys).toContainEqual(apiKeySchema.parse(listed));
    expect(keys[0]).toMatchObject({ name: 'bootstrap', scopes: ['read', 'write', 'admin'], expires_at: null });
    const { rows } = await management.database.pool.query('SELECT * FROM api_keys WHERE name = $1', ['dashboard']);
    expect(rows[0].secret_sha256).toEqual(digest(secret));
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('keep the view of a team that they were made with', async () => {
    const match = { team: 'search' };
    const { id, secret, ...made } = await makeKey(['read'], { name: 'search', match });
    expect(made.match).toEqual(match);
    const keys = await management.read('/api/v1/keys', apiKeyListSchema);
    expect(keys.find((key) => key.id === id)?.match).toEqual(match);
    expect(keys[0]).toMatchObject({ name: 'bootstrap', match: null });
    expect([...(await findApiKeys(management.database.db, [digest(secret).toString('hex')])).values()]).toEqual([
      expect.objectContaining({ name: 'search', match }),
    ]);
    const rotated = await management.send('POST', `/api/v1/keys/${id}/rotate`, {});
    expect(createdApiKeySchema.parse(await rotated.json()).match).toEqual(match);
    const entries = await management.read('/api/v1/audit?action=key.create,key.rotate&limit=2', auditListSchema);
    expect(entries.map(({ action, after }) => [action, after])).toEqual([
      ['key.rotate', expect.objectContaining({ id, match })],
      ['key.create', expect.objectContaining({ id, match })],
    ]);
  });

  test('work until they are deleted, and not one request longer', async () => {
    const key = await makeKey(['read']);
    expect((await management.call('/api/v1/agents', bearer(key.secret))).status).toBe(200);
    const deleted = await management.call(`/api/v1/keys/${key.id}`, { method: 'DELETE' });
    expect(deleted.status).toBe(204);
    expect(await deleted.text()).toBe('');
    const refused = await management.call('/api/v1/agents', bearer(key.secret));
    await management.refuse(refused, 401, 'missing or invalid API key');
    const again = await management.call(`/api/v1/keys/${key.id}`, { method: 'DELETE' });
    await management.refuse(again, 404, 'key not found');
  });

  test('work until they expire', async () => {
    const key = await makeKey(['read'], { expires_at: new Date(Date.now() + 1_500).toISOString() });
    expect((await management.call('/api/v1/agents', bearer(key.secret))).status).toBe(200);
    await expect.poll(async () => (await management.call('/api/v1/agents', bearer(key.secret))).status).toBe(401);
  });

  test('open what their scopes say, and the rest is refused by name', async () => {
    const agent = await seedAgent(management.database, 'scoped');
    const requests = {
      read: () => ['/api/v1/agents', {}] as const,
      write: () => [`/api/v1/agents/${agent}/retire`, { method: 'POST' }] as const,
      admin: () => ['/api/v1/keys', {}] as const,
    };
    const opened = { read: ['read'], write: ['write'], admin: ['read', 'write', 'admin'] };
    for (const held of ['read', 'write', 'admin'] as const) {
      const { secret } = await makeKey([held]);
      for (const needed of ['read', 'write', 'admin'] as const) {
        const [path, init] = requests[needed]();
        const response = await management.call(path, { ...init, ...bearer(secret) });
        if (opened[held].includes(needed)) expect(response.status).toBe(200);
        else await management.refuse(response, 403, `API key lacks scope ${needed}`);
      }
    }
  });

  test.each([
    ['nothing', {}, /^name: /],
    ['no name', { scopes: ['read'] }, /^name: /],
    ['an empty name', { name: '', scopes: ['read'] }, /^name: /],
    ['a long name', { name: 'x'.repeat(129), scopes: ['read'] }, /^name: /],
    ['NUL in the name', { name: 'a\0', scopes: ['read'] }, /^name: /],
    ['the reserved name', { name: 'bootstrap', scopes: ['read'] }, /^name: must not be bootstrap/],
    ['no scopes', { name: 'a', scopes: [] }, /^scopes: /],
    ['an unknown scope', { name: 'a', scopes: ['root'] }, /^scopes.0: /],
    ['a scope twice', { name: 'a', scopes: ['read', 'read'] }, /^scopes: /],
    ['a past end', { name: 'a', scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }, /^expires_at: /],
    ['an end that is no time', { name: 'a', scopes: ['read'], expires_at: 'soon' }, /^expires_at: /],
    ['a team without labels', { name: 'a', scopes: ['read'], match: {} }, /^match: must hold a label/],
    ['a label that is none', { name: 'a', scopes: ['read'], match: { 'a b': 'c' } }, /^match/],
    ['a label without a value', { name: 'a', scopes: ['read'], match: { team: '' } }, /^match.team: /],
    [
      'six labels',
      { name: 'a', scopes: ['read'], match: Object.fromEntries([...'abcdef'].map((name) => [name, 'x'])) },
      /^match: must hold at most 5/,
    ],
    ['another field', { name: 'a', scopes: ['read'], secret: 'mine' }, /^secret: unknown field/],
  ])('are not made from %s', async (_name, body, error) => {
    await management.refuse(await management.send('POST', '/api/v1/keys', body), 400, error);
  });

  test.each(['key_01k9r3v8w5f2q8m6t4n0x7y1zd', 'x', '%00'])('answer 404 for the id %s', async (id) => {
    await management.refuse(await management.call(`/api/v1/keys/${id}`, { method: 'DELETE' }), 404, 'key not found');
  });
});

describe('the last use of a key', () => {
  test('is noted at its first use, and once a minute after that, whichever replica saw it', async () => {
    const key = await makeKey(['read']);
    const read = async () =>
      (await management.read('/api/v1/keys', apiKeyListSchema)).find(({ id }) => id === key.id)?.last_used_at;
    const use = (url = management.service.url) => fetch(`${url}/api/v1/agents`, bearer(key.secret));
    expect(await read()).toBeNull();
    const before = Date.now();
    expect((await use()).status).toBe(200);
    const first = await expect.poll(read).not.toBeNull().then(read);
    expect(Date.parse(first ?? '')).toBeGreaterThanOrEqual(before);
    await using other = await startManagement(management.config, { logger: createLogger('management', 'silent') });
    expect((await use(other.url)).status).toBe(200);
    expect((await use()).status).toBe(200);
    expect(await read()).toBe(first);
    // A process that has not noted this key yet, a minute later.
    await management.database.pool.query(
      "UPDATE api_keys SET last_used_at = last_used_at - interval '61 seconds' WHERE name = 'read'",
    );
    await using third = await startManagement(management.config, { logger: createLogger('management', 'silent') });
    expect((await use(third.url)).status).toBe(200);
    await expect.poll(async () => Date.parse((await read()) ?? '')).toBeGreaterThanOrEqual(Date.parse(first ?? ''));
  });

  test('keeps no request waiting: a row that is locked is noted later', async () => {
    const key = await makeKey(['read']);
    const client = await management.database.pool.connect();
    await client.query('BEGIN');
    await client.query("SELECT FROM api_keys WHERE name = 'read' FOR UPDATE");
    try {
      expect((await management.call('/api/v1/agents', bearer(key.secret))).status).toBe(200);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

describe('the bootstrap key', () => {
  test('cannot be deleted: the next start would bring it back', async () => {
    const [key] = await management.read('/api/v1/keys', apiKeyListSchema);
    expect(key?.name).toBe('bootstrap');
    const response = await management.call(`/api/v1/keys/${key?.id}`, { method: 'DELETE' });
    await management.refuse(response, 409, 'the bootstrap key is set by MANAGEMENT_API_KEY and changed there');
    expect((await management.call('/api/v1/agents')).status).toBe(200);
  });

  test('is replaced by a start with another value, and stays one', async () => {
    const config = { ...management.config, managementApiKey: 'another-bootstrap-key-987654' };
    const logger = createLogger('management', 'silent');
    {
      await using _next = await startManagement(config, { logger });
      expect((await management.call('/api/v1/agents')).status).toBe(401);
      const response = await management.call('/api/v1/keys', bearer(config.managementApiKey));
      const keys = apiKeyListSchema.parse(await response.json());
      expect(keys.filter((key) => key.name === 'bootstrap')).toHaveLength(1);
    }
    await using _back = await startManagement(management.config, { logger });
    expect((await management.call('/api/v1/agents')).status).toBe(200);
  });

  test('cannot have the secret of another key: the start says which variable is wrong', async () => {
    const { secret } = await makeKey(['read']);
    const start = startManagement(
      { ...management.config, managementApiKey: secret },
      { logger: createLogger('management', 'silent') },
    );
    await expect(start).rejects.toThrow(/^MANAGEMENT_API_KEY: /);
    await expect(start).rejects.toMatchObject({ code: 'invalid_config' });
    expect((await management.call('/api/v1/agents')).status).toBe(200);
  });
});

describe('failed authentication', () => {
  test.each([
    ['no header', ''],
    ['another scheme', `Basic ${btoa(`x:${bootstrapKey}`)}`],
    ['no token', 'Bearer'],
    ['an unknown key', 'Bearer agm_unknown'],
    ['the start of a key', `Bearer ${bootstrapKey.slice(0, -1)}`],
    ['more than a key', `Bearer ${bootstrapKey}x`],
    ['two tokens', `Bearer ${bootstrapKey} ${bootstrapKey}`],
    ['SQL', "Bearer ' OR '1'='1"],
  ])('is answered 401 for %s, on known and unknown paths', async (_name, authorization) => {
    for (const path of ['/api/v1/agents', '/api/v1/events/stream', '/api/v1/nothing', '/api/v1']) {
      const response = await management.call(path, { headers: { authorization } });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      await management.refuse(response, 401, 'missing or invalid API key');
    }
  });

  test('takes the scheme in any case', async () => {
    expect(
      (await management.call('/api/v1/agents', { headers: { authorization: `bearer ${bootstrapKey}` } })).status,
    ).toBe(200);
  });

  test.each([true, false])('is throttled after 100 a minute, a valid key never (with Redis: %s)', async (withRedis) => {
    await using own = await startTestManagement();
    if (!withRedis) await own.stack.redis.stop();
    const wrong = { headers: { authorization: 'Bearer wrong' } };
    for (let count = 0; count < 100; count += 1) {
      const response = await own.call('/api/v1/agents', wrong);
      expect(response.status).toBe(401);
      await response.arrayBuffer();
    }
    const response = await own.call('/api/v1/agents', wrong);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await own.refuse(response, 429, 'too many failed authentications');
    expect((await own.call('/api/v1/agents')).status).toBe(200);
    expect((await fetch(`${own.service.opsUrl}/readyz`)).status).toBe(200);
  });
});
