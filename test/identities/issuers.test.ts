import { eventually } from '@agp/testing';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { putIdentity } from './support/change-identities.ts';
import { makeKey, startTestIssuer, type TestIssuer } from './support/test-issuer.ts';

let good: TestIssuer;
let issuer: TestIssuer;
let inside: TestIssuer;
let system: IdentitySystem;
/** Each test takes one that nobody has asked. */
let unused: TestIssuer[];

const put = (name: string, of: TestIssuer, keys: object = { discovery: true }) =>
  putIdentity(system.system.database, {
    ...{ name, issuer: of.issuer, audiences: ['agp'], keys, rules: [{ name: 'all', agent: `${name}.{sub}` }] },
  });

beforeAll(async () => {
  [good, inside, ...unused] = (await Promise.all(Array.from({ length: 12 }, startTestIssuer))) as [
    ...[TestIssuer, TestIssuer],
    ...TestIssuer[],
  ];
  const hosts = [good, ...unused].map(({ host }) => host);
  system = await startIdentitySystem('token', { IDENTITY_ALLOWED_HOSTS: hosts.join() });
  await put('good', good);
  const all = [good, inside, ...unused];
  return async () => {
    await system[Symbol.asyncDispose]();
    for (const each of all) await each[Symbol.asyncDispose]();
  };
});
beforeEach(() => {
  issuer = unused.pop() ?? good;
});

const send = async (of: TestIssuer, sub: string) =>
  system.send(0, { authorization: `Bearer ${await of.sign({ sub })}` });

const megabyte = JSON.stringify({ keys: [{ kty: 'RSA', n: 'x'.repeat(1_048_576), e: 'AQAB' }] });

test.each<[what: string, set: () => TestIssuer['answer'], reason: RegExp]>([
  [
    'a redirect',
    () => (_request, response) => response.writeHead(302, { location: good.issuer }).end(),
    /HTTP 302: redirects are not followed/,
  ],
  ['a set of a megabyte', () => (_request, response) => response.end(megabyte), /answers with more than 65536 bytes/],
  ['no JSON', () => (_request, response) => response.end('<html>'), /is not JSON/],
  ['an error', () => (_request, response) => response.writeHead(500).end('secret'), /HTTP 500$/],
  ['silence', () => () => {}, /no answer within 3 s/],
  ['keys on a private address', () => toKeys('https://169.254.169.254/keys'), /169\.254\.169\.254: address is private/],
  [
    'keys on this machine',
    () => toKeys(`${inside.issuer}/keys`),
    /address is private: 127\.0\.0\.1: IDENTITY_ALLOWED_HOSTS does not name/,
  ],
  ['keys in a file', () => toKeys('file:///etc/passwd'), /cannot be read/],
])('an issuer that answers with %s is unavailable, and others are not', async (_what, set, reason) => {
  issuer.answer = set();
  const name = `bad-${unused.length}`;
  await put(name, issuer);
  const [bad, fine] = await Promise.all([send(issuer, 'a'), send(good, 'b')]);
  expect(fine.status).toBe(404);
  expect(bad).toEqual({ status: 503, error: expect.stringMatching(reason), agentId: null });
  expect(bad.error).toContain(`keys of issuer ${name} cannot be read: `);
  expect(inside.asked).toEqual([]);
});

const toKeys =
  (url: string): TestIssuer['answer'] =>
  (request, response) =>
    response.end(JSON.stringify({ issuer: `http://${request.headers.host}`, jwks_uri: url }));

test('an issuer without TLS, or on a private address, that the setting does not name is never asked', async () => {
  await put('inside', inside);
  const refused = { status: 503, error: expect.stringMatching(/address is private/) };
  expect(await send(inside, 'a')).toMatchObject(refused);
  await put('inside', inside, { jwks_uri: inside.issuer.replace('http:', 'https:') });
  expect(await send(inside, 'a')).toMatchObject(refused);
  await put('inside', inside, { jwks: { keys: inside.keys.map(({ jwk }) => jwk) } });
  expect((await send(inside, 'a')).status).toBe(404);
  expect(inside.asked).toEqual([]);
});

test('keys rotate under way; while the issuer is away those that are known go on', async () => {
  await put('rotates', issuer);
  expect((await send(issuer, 'a')).status).toBe(404);
  issuer.keys.push(await makeKey('second', 'ES256'));
  await eventually(async () => expect((await send(issuer, 'b')).status).toBe(404));
  const known = issuer.asked.length;
  issuer.answer = (_request, response) => response.writeHead(503).end();
  expect((await send(issuer, 'c')).status).toBe(404);
  issuer.keys.push(await makeKey('third'));
  await eventually(async () => expect((await send(issuer, 'd')).status).toBe(503));
  issuer.keys.pop();
  expect((await send(issuer, 'e')).status).toBe(404);
  issuer.keys.push(await makeKey('fourth'));
  issuer.answer = null;
  await eventually(async () => expect((await send(issuer, 'f')).status).toBe(404));
  expect(issuer.asked.length).toBeGreaterThan(known);
});
