import { createHmac } from 'node:crypto';
import { exportSPKI } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeToken } from '../control/support/admin-calls.ts';
import { type IdentitySystem, startIdentitySystem } from '../control/support/identity-system.ts';
import { putIdentity } from './support/change-identities.ts';
import {
  makeKey,
  nowSeconds,
  sign,
  startTestIssuer,
  type TestClaims,
  type TestIssuer,
  type TestKey,
} from './support/test-issuer.ts';

let issuer: TestIssuer;
let system: IdentitySystem;
let elliptic: TestKey;
let stranger: TestKey;
let agentToken: string;

beforeAll(async () => {
  issuer = await startTestIssuer();
  elliptic = await makeKey('elliptic', 'ES256');
  stranger = await makeKey('first');
  issuer.keys.unshift(elliptic);
  system = await startIdentitySystem('token', { IDENTITY_ALLOWED_HOSTS: issuer.host });
  const rules = [{ name: 'all', match: { env: ['prod'] }, agent: 'attacked.{sub}' }];
  const document = { issuer: issuer.issuer, audiences: ['agp'], keys: { discovery: true }, rules };
  await putIdentity(system.system.database, { name: 'attacked', ...document });
  agentToken = (await makeToken(system.system, 'other-agent')).secret;
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (more: TestClaims = {}) => ({
  ...{ iss: issuer.issuer, aud: 'agp', sub: 'victim', env: 'prod', exp: nowSeconds() + 600 },
  ...more,
});
const good = (more?: TestClaims, header?: object) => issuer.sign(claims(more), header);

/** With a signature of any kind, or none. */
const raw = (header: object, payload: unknown = claims(), signature = 'c2ln') =>
  `${json(header)}.${json(payload)}.${signature}`;
const withSecret = (secret: string | Buffer, header: object) => {
  const signed = `${json(header)}.${json(claims())}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};
const publicPem = () => exportSPKI((issuer.keys.at(-1) ?? stranger).publicKey);
const byStranger = (header: object, more?: TestClaims) => sign(stranger, claims(more), header);

async function swap(part: 0 | 1 | 2, change: (text: string) => string): Promise<string> {
  const parts = (await good()).split('.');
  parts[part] = change(parts[part] ?? '');
  return parts.join('.');
}

const attacks: [what: string, token: () => string | Promise<string>][] = [
  // Algorithms and keys
  ['alg none', () => raw({ alg: 'none' }, claims(), '')],
  ['alg None, signed with nothing', () => raw({ alg: 'None' }, claims(), '')],
  ['alg none with a signature', () => raw({ alg: 'none', kid: 'first' })],
  ['alg empty', () => raw({ alg: '', kid: 'first' })],
  ['alg a list', () => raw({ alg: ['RS256'], kid: 'first' })],
  ['no alg', () => raw({ kid: 'first' })],
  [
    'HS256 with the public key as its secret',
    async () => withSecret(await publicPem(), { alg: 'HS256', kid: 'first' }),
  ],
  [
    'HS256 with the modulus as its secret',
    () => {
      const modulus = Buffer.from(issuer.keys.at(-1)?.jwk.n ?? '', 'base64url');
      return withSecret(modulus, { alg: 'HS256', kid: 'first' });
    },
  ],
  ['HS256 with an empty secret and no kid', () => withSecret('', { alg: 'HS256' })],
  ['RS256 said of an elliptic key', () => sign(elliptic, claims(), { alg: 'ES256', kid: 'first' })],
  ['ES256 said of an RSA key', () => good({}, { kid: 'elliptic' })],
  ['an algorithm that the issuer does not have: PS256', async () => sign(await makeKey('first', 'PS256'), claims())],
  ['an algorithm that the issuer does not have: RS512', async () => sign(await makeKey('first', 'RS512'), claims())],
  ['an algorithm that the issuer does not have: EdDSA', async () => sign(await makeKey('first', 'EdDSA'), claims())],
  ["a stranger's key by the issuer's kid", () => byStranger({})],
  ["a stranger's key without a kid", () => byStranger({ kid: undefined })],
  ["a stranger's key in the header", () => byStranger({ kid: undefined, jwk: stranger.jwk })],
  ["a stranger's key in the header, beside a known kid", () => byStranger({ jwk: stranger.jwk })],
  ["a stranger's set by jku", () => byStranger({ kid: 'new', jku: `${issuer.issuer}/evil` })],
  ["a stranger's certificate by x5u", () => byStranger({ x5u: `${issuer.issuer}/evil` })],
  ["a stranger's certificate by x5c", () => byStranger({ x5c: [Buffer.from('evil').toString('base64')] })],
  ['kid as a path', () => byStranger({ kid: '../../../../dev/null' })],
  ['kid as a path, signed with what is there', () => withSecret('', { alg: 'HS256', kid: '/dev/null' })],
  ['kid as an address', () => byStranger({ kid: `${issuer.issuer}/evil` })],
  ['kid as SQL', () => byStranger({ kid: "' UNION SELECT 'key' --" })],
  ['kid as a command', () => byStranger({ kid: '$(touch /tmp/x)' })],
  ['kid as a member of objects', () => byStranger({ kid: '__proto__' })],
  ['kid as an object', () => raw({ alg: 'RS256', kid: { first: 1 } })],
  // Signatures and form
  ['a signature cut short', () => swap(2, (text) => text.slice(0, -8))],
  ['a signature cut off', () => swap(2, () => '')],
  ['a signature of zeros', () => swap(2, (text) => 'A'.repeat(text.length))],
  [
    'a signature of another token',
    async () => swap(2, () => '').then(async (text) => text + (await good({ sub: 'me' })).split('.')[2]),
  ],
  ['other claims under a signature', () => swap(1, () => json(claims({ sub: 'other' })))],
  ['another header under a signature', () => swap(0, () => json({ alg: 'RS256', kid: 'first', extra: 1 }))],
  ['an empty header', () => swap(0, () => '')],
  ['empty claims', () => swap(1, () => '')],
  ['two parts', async () => (await good()).split('.').slice(0, 2).join('.')],
  ['four parts', async () => `${await good()}.x`],
  ['five parts, as if encrypted', async () => `${await good()}.x.y`],
  ['a JWT within a JWT', async () => raw({ alg: 'RS256', kid: 'first', cty: 'JWT' }, await good())],
  ['a list of claims', () => raw({ alg: 'RS256', kid: 'first' }, [claims()])],
  [
    'claims that nest deep',
    () => `${json({ alg: 'RS256' })}.${Buffer.from('['.repeat(8_000)).toString('base64url')}.c2ln`,
  ],
  ['17 KB', () => good({ padding: 'x'.repeat(12_700) })],
  ['extensions that must be understood', () => good({}, { crit: ['urn:more'], 'urn:more': 1 })],
  ['an empty crit', () => raw({ alg: 'RS256', kid: 'first', crit: [] })],
  ['claims that are not encoded', () => raw({ alg: 'RS256', kid: 'first', b64: false, crit: ['b64'] })],
  // Claims
  ['expired', () => good({ exp: nowSeconds() - 120 })],
  ['without an end', () => good({ exp: undefined })],
  ['an end that is a text', () => good({ exp: '9999999999' })],
  ['not valid yet', () => good({ nbf: nowSeconds() + 600 })],
  ['for another audience', () => good({ aud: 'vault' })],
  ['for an audience that begins alike', () => good({ aud: ['agp2', 'ag', 'AGP'] })],
  ['for nobody', () => good({ aud: undefined })],
  ['of an issuer with a slash more', () => good({ iss: `${issuer.issuer}/` })],
  ['of an issuer with another path', () => good({ iss: `${issuer.issuer}/tenant` })],
  ['of an issuer in capitals', () => good({ iss: issuer.issuer.toUpperCase() })],
  ['of several issuers', () => good({ iss: [issuer.issuer] })],
  ['of no issuer', () => good({ iss: undefined })],
  ['that no rule takes', () => good({ env: 'Prod' })],
  ['whose claim is an object', () => good({ sub: { toString: 'victim' } })],
  ['whose name is an agent token', () => good({ sub: agentToken })],
  ['whose name holds what cannot be seen', () => good({ sub: 'vic\u200btim' })],
];

test.each(attacks)('%s is refused, in each place, and goes nowhere', async (_what, make) => {
  const token = await make();
  const before = system.provider.requests.length;
  const read = issuer.asked.filter((path) => !/^\/(?:keys|\.well-known\/openid-configuration)$/.test(path));
  for (const headers of [{ 'x-agent-token': token }, { authorization: `Bearer ${token}` }, { 'x-api-key': token }]) {
    const { status, error, agentId } = await system.send(0, headers);
    expect({ status, agentId, error }).toEqual({ status: 401, agentId: null, error: expect.any(String) });
    expect(error).not.toMatch(/victim|prod|vault|http/i);
  }
  expect(read).toEqual([]);
  expect(system.provider.requests.length).toBe(before);
  await system.expectForwarded({ authorization: `Bearer ${await good({ sub: 'bystander' })}` });
  expect(await system.countAgents('attacked.victim')).toBe(0);
});
