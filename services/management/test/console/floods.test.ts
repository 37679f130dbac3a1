import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { consoleLinkSchema, createdApiKeySchema } from '@agp/core/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedAgent } from '../support/seed.ts';
import { startTestManagement, type TestManagement } from '../support/start-test-management.ts';
import { type Answer, BrowserCalls } from './browser-calls.ts';

const host = 'localhost:8443';
let management: TestManagement;
let provider: Server;
/** Sign-ins that the provider was asked about; it answers none until a test does. */
const asked: ServerResponse[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    if (request.url === '/token') return void asked.push(response);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` }),
    );
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  management = await startTestManagement({ consoleOrigin: `http://${host}`, oidcIssuer: issuer });
});
afterAll(async () => {
  provider?.closeAllConnections();
  provider?.close();
  await management?.[Symbol.asyncDispose]();
});

async function makeReader(): Promise<string> {
  const input = { name: randomUUIDv7(), scopes: ['read'] };
  return createdApiKeySchema.parse(await (await management.send('POST', '/api/v1/keys', input)).json()).secret;
}

const askLink = (key: string) =>
  management.call('/api/v1/console/links', { method: 'POST', headers: { authorization: `Bearer ${key}` } });

async function readCode(link: Response): Promise<string> {
  return consoleLinkSchema.parse(await link.json()).path.split('code=')[1] as string;
}

const signIn = (body: { api_key: string } | { code: string }) => new BrowserCalls(management).signIn(body);
const guess = () => signIn({ code: `agl_${randomBytes(32).toString('base64url')}` });
const atProvider = (path: 'start' | 'session') =>
  new BrowserCalls(management, host).call(`/console/oidc/${path}`, {
    method: 'POST',
    ...(path === 'session' && { body: { state: 's', nonce: 'n', verifier: 'v', answer: 'code=c&state=s' } }),
  });

const many = <Result>(count: number, ask: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, at) => ask(at)));

function expectRefused({ status, headers, body }: Answer): void {
  expect([status, headers['x-error-code'], body.error]).toEqual([
    429,
    'too_many_sign_ins',
    expect.stringContaining('too many sign-ins'),
  ]);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
}

test('a block works while links, sign-ins, wrong codes and sign-outs hang in storage by the hundred', async () => {
  const agentId = await seedAgent(management.database, randomUUIDv7());
  const keys = await many(4, makeReader);
  const signedIn = new BrowserCalls(management);
  await signedIn.signIn({ api_key: keys[0] as string });
  const { pool } = management.database;
  const locker = await pool.connect();
  await locker.query('BEGIN; LOCK TABLE console_codes, console_sessions IN ACCESS EXCLUSIVE MODE');
  const flood = [
    many(200, async (at) => (await askLink(keys[at % keys.length] as string)).status),
    many(100, async (at) => (await signIn({ api_key: keys[at % keys.length] as string })).status),
    many(100, async () => (await guess()).status),
    many(50, async () => (await signedIn.call('/console/session')).status),
    many(50, async () => (await signedIn.call('/console/session', { method: 'DELETE' })).status),
    many(50, async () => (await atProvider('start')).status),
  ];
  try {
    const countHanging = async () => {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agp-management' AND wait_event_type = 'Lock'`,
      );
      return rows[0]?.count;
    };
    await expect.poll(countHanging).toBe(2);
    const blocked = await management.send('PUT', `/api/v1/agents/${agentId}`, { status: 'blocked' });
    expect([blocked.status, await blocked.json()]).toEqual([200, expect.objectContaining({ status: 'blocked' })]);
    expect((await management.call('/api/v1/agents')).status).toBe(200);
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  const statuses = new Set((await Promise.all(flood)).flat());
  expect([...statuses].filter((status) => ![200, 201, 204, 401, 429, 503].includes(status))).toEqual([]);
  await expect.poll(async () => (await askLink(await makeReader())).status).toBe(201);
});

test('a key has 100 links and sign-ins a minute; others are not affected, nor what it reads', async () => {
  const [greedy, modest] = [await makeReader(), await makeReader()];
  const links = await many(230, () => askLink(greedy));
  const refused = links.filter(({ status }) => status !== 201);
  // When Redis answers too late on a busy machine, the process counts for itself, up to the limit once more.
  expect(refused.length).toBeGreaterThanOrEqual(30);
  for (const link of refused) {
    expect([link.status, link.headers.get('x-error-code')]).toEqual([429, 'too_many_sign_ins']);
    expect(Number(link.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expectRefused(await signIn({ api_key: greedy }));
  const headers = { authorization: `Bearer ${greedy}` };
  expect((await management.call('/api/v1/agents', { headers })).status).toBe(200);
  expect((await askLink(modest)).status).toBe(201);
  expect((await signIn({ api_key: modest })).status).toBe(200);
});

test('a link that comes when its key has signed in too often works later', async () => {
  const key = await makeReader();
  const code = await readCode(await askLink(key));
  const sql = 'SELECT FROM console_codes WHERE key_sha256 = sha256($1)';
  const countCodes = async () => (await management.database.pool.query(sql, [Buffer.from(key)])).rowCount;
  await many(210, () => signIn({ api_key: key }));
  expectRefused(await signIn({ code }));
  expect(await countCodes()).toBe(1);
});

test('whoever guesses codes locks out no link from the same address', async () => {
  const code = await readCode(await askLink(await makeReader()));
  const statuses = (await many(250, guess)).map(({ status }) => status);
  expect(statuses).toContain(429);
  expect(statuses.filter((status) => ![401, 429].includes(status))).toEqual([]);
  expect((await signIn({ code })).status).toBe(200);
});

test('one network has 100 tries a minute with the OpenID provider; keys sign in meanwhile', async () => {
  const waiting = Array.from({ length: 210 }, () => atProvider('session'));
  expectRefused(await Promise.race(waiting));
  expect((await atProvider('start')).status).toBe(200);
  expect((await signIn({ api_key: await makeReader() })).status).toBe(200);
  // When Redis answers too late, the process counts for itself, up to the limit once more.
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(100);
  provider.closeAllConnections();
  const codes = (await Promise.all(waiting)).map(({ headers }) => String(headers['x-error-code']));
  expect(codes.filter((code) => code === 'too_many_sign_ins').length).toBeGreaterThanOrEqual(10);
});
