import { uuidOf } from '@agp/core/ids';
import { connectRedis } from '@agp/reservations';
import { eventually } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { releaseName } from '../control/support/admin-calls.ts';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { putIdentity, removeIdentity } from './support/change-identities.ts';
import { nowSeconds, startTestIssuer, type TestClaims, type TestIssuer } from './support/test-issuer.ts';

let issuer: TestIssuer;
let system: IdentitySystem;

const rule = { name: 'all', agent: 'exchanged.{sub}' };
const put = (change: object = {}) =>
  putIdentity(system.system.database, {
    ...{ name: 'cluster', issuer: issuer.issuer, audiences: ['agp'], keys: { discovery: true }, rules: [rule] },
    ...change,
  });

beforeAll(async () => {
  issuer = await startTestIssuer();
  system = await startIdentitySystem('token', { IDENTITY_ALLOWED_HOSTS: issuer.host });
  await put();
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

const type = 'urn:ietf:params:oauth:token-type';
const form = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: `${type}:jwt`,
};

interface Answered {
  status: number;
  body: Record<string, string | number>;
  headers: Headers;
}

async function post(
  body: string | Record<string, string> | [string, string][],
  init: RequestInit = {},
): Promise<Answered> {
  const url = `${system.system.proxies[0]?.url}/oauth/token`;
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(body), ...init });
  return { status: answer.status, body: (await answer.json()) as Answered['body'], headers: answer.headers };
}

const exchange = async (claims: TestClaims) => post({ ...form, subject_token: await issuer.sign(claims) });
const bearer = (token: string | number | undefined) => ({ authorization: `Bearer ${token}` });

test('a JWT in, an agent token of an hour out, that works on each proxy in the place of any key', async () => {
  const { status, body, headers } = await exchange({ sub: 'one', exp: nowSeconds() + 7_200 });
  expect(status).toBe(200);
  expect(body).toEqual({
    ...{ access_token: expect.stringMatching(/^agp_[\w-]{43}$/), issued_token_type: `${type}:access_token` },
    ...{ token_type: 'Bearer', expires_in: 3_600 },
  });
  expect(headers.get('cache-control')).toBe('no-store');
  const agentId = await system.expectForwarded(bearer(body.access_token));
  expect(await system.readName(agentId)).toBe('exchanged.one');
  expect(await system.expectForwarded({ 'x-api-key': String(body.access_token) })).toBe(agentId);
  const { rows } = await system.system.database.pool.query('SELECT * FROM exchanged_tokens');
  expect(rows).toMatchObject([{ agent_name: 'exchanged.one', identity_version: 1 }]);
  expect(JSON.stringify(rows)).not.toContain(body.access_token);
});

test('it lasts no longer than the JWT, and not at all for one that is late', async () => {
  expect((await exchange({ sub: 'short', exp: nowSeconds() + 100 })).body.expires_in).toBeLessThanOrEqual(100);
  expect((await exchange({ sub: 'late', exp: nowSeconds() - 30 })).body).toMatchObject({ error: 'invalid_request' });
});

test('it ends with its issuer, and with each change of it', async () => {
  const { access_token: first } = (await exchange({ sub: 'ends' })).body;
  await system.expectForwarded(bearer(first));
  await put({ description: 'changed' });
  await system.expectRefused(bearer(first));
  const { access_token: second } = (await exchange({ sub: 'ends' })).body;
  await system.expectForwarded(bearer(second));
  await removeIdentity(system.system.database, 'cluster');
  await system.expectRefused(bearer(second));
  expect((await exchange({ sub: 'ends' })).body).toMatchObject({ error: 'invalid_request' });
  await put();
  await system.expectRefused(bearer(second));
});

test('it is refused for an agent that is another’s, and stops once its agent is given away', async () => {
  const { access_token: token } = (await exchange({ sub: 'given' })).body;
  await system.expectForwarded(bearer(token));
  await system.system.database.pool.query(
    "UPDATE claimed_names SET identity_id = gen_random_uuid() WHERE name = 'exchanged.given'",
  );
  await system.expectRefused(bearer(token));
  const { error_description } = (await exchange({ sub: 'given' })).body;
  expect(error_description).toContain('belongs to');
});

test('it stays ended once its name was let go, also if its agent is adopted by the same name', async () => {
  const { access_token: token } = (await exchange({ sub: 'let-go' })).body;
  const id = await system.expectForwarded(bearer(token));
  await releaseName(system.system, 'exchanged.let-go');
  const body = JSON.stringify({ identity: 'cluster', name: 'exchanged.let-go' });
  await system.system.api(`/api/v1/agents/${id}/adopt`, { method: 'POST', body });
  await system.expectForwarded(bearer(await issuer.sign({ sub: 'let-go' })));
  await system.expectRefused(bearer(token));
});

test('an agent keeps all its tokens but those that have ended, and waits beyond 10,000 in an hour', async () => {
  const { access_token: oldest } = (await exchange({ sub: 'many' })).body;
  const { pool } = system.system.database;
  await pool.query(
    `INSERT INTO exchanged_tokens (id, agent_name, secret_sha256, identity_id, identity_version, expires_at)
     SELECT gen_random_uuid(), agent_name, sha256(number::text::bytea), identity_id, identity_version,
       now() + CASE WHEN number > 1200 THEN interval '-1 minute' ELSE '1 hour' END
     FROM exchanged_tokens, generate_series(1, 1250) AS number WHERE agent_name = 'exchanged.many'`,
  );
  await exchange({ sub: 'many' });
  const { rows } = await pool.query("SELECT FROM exchanged_tokens WHERE agent_name = 'exchanged.many'");
  expect(rows).toHaveLength(1_202);
  const id = uuidOf('agt', await system.expectForwarded(bearer(oldest)));
  const redis = connectRedis({ url: system.system.stack.redisUrl, commandTimeoutMs: 60_000 });
  await eventually(() => redis.set(`agp:throttle:exchanges:${id}`, '10000', 'EX', 600));
  await redis.quit();
  const { status, headers } = await exchange({ sub: 'many' });
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
  await system.expectForwarded(bearer(oldest));
});

test.each<[what: string, body: () => Record<string, string> | [string, string][], error: string]>([
  ['another grant', () => ({ ...form, grant_type: 'client_credentials' }), 'unsupported_grant_type'],
  ['no grant', () => ({}), 'unsupported_grant_type'],
  ['another type of token', () => ({ ...form, subject_token_type: `${type}:saml2` }), 'invalid_request'],
  ['an actor', () => ({ ...form, actor_token: 'x' }), 'invalid_request'],
  ['another type for the answer', () => ({ ...form, requested_token_type: `${type}:jwt` }), 'invalid_request'],
  ['no token', () => form, 'invalid_request'],
  ['no JWT', () => ({ ...form, subject_token: 'agp_x' }), 'invalid_request'],
  ['two tokens', () => [...Object.entries(form), ['subject_token', 'a'], ['subject_token', 'b']], 'invalid_request'],
])('%s is an error of OAuth', async (_what, body, error) => {
  const answer = await post(body());
  expect(answer).toMatchObject({ status: 400, body: { error, error_description: expect.any(String) } });
});

test('a form that is too large, or none, or read by GET, is refused; a page of another site too', async () => {
  expect(await post({ ...form, subject_token: 'x'.repeat(40_000) })).toMatchObject({ status: 413 });
  expect(await post('', { body: '{}', headers: { 'content-type': 'application/json' } })).toMatchObject({
    status: 400,
  });
  expect(await post('', { headers: { origin: 'https://evil.example' } })).toMatchObject({
    body: { error_description: expect.stringContaining('cross-site') },
  });
  const url = `${system.system.proxies[0]?.url}/oauth/token?grant_type=x`;
  expect((await fetch(url)).status).toBe(405);
});

test('a refusal is listed with what it said, and never with the token', async () => {
  await exchange({ sub: 'nobody', aud: 'vault' });
  await eventually(async () => {
    const { rows } = await system.system.database.pool.query<{ told: string }>(
      "SELECT told FROM refused_requests WHERE path = '/oauth/token' AND told LIKE '%iss and aud%'",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('eyJ');
  });
});
