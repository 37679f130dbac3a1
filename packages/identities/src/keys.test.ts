import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IssuerKeys, type ReadJson } from './keys.ts';
import { TokenRefused, verify } from './verify.ts';

const issuer = 'https://issuer.example/tenant/';
const identity = { name: 'one', issuer, audiences: ['agp'], algorithms: ['RS256', 'ES256'] as ('RS256' | 'ES256')[] };

async function makeKey(kid: string, more: object = {}) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, ...more };
  const sign = (header: object = {}) =>
    new SignJWT({ iss: issuer, aud: 'agp', exp: Date.now() / 1_000 + 600 })
      .setProtectedHeader({ alg: 'ES256', kid, ...header })
      .sign(privateKey);
  return { jwk, sign };
}

/** A server of key sets, and how often it was asked. */
function serve(...keys: unknown[]) {
  const server = { keys, reads: 0, fails: false };
  const read: ReadJson = async (url) => {
    if (server.fails) throw new Error('issuer.example: HTTP 500');
    if (url === 'https://issuer.example/tenant/.well-known/openid-configuration')
      return { issuer, jwks_uri: 'https://keys.example' };
    server.reads += 1;
    return { keys: server.keys };
  };
  return { server, keys: new IssuerKeys({ ...identity, keys: { discovery: true } }, read) };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const works = async (keys: IssuerKeys, token: string) =>
  verify(token, identity, keys.find).then(
    () => true,
    (error: Error) => error.message,
  );
const unknown = expect.stringContaining('no key with its kid');

test('keys that rotate are read as soon as one is unknown, and what is taken back holds no longer', async () => {
  const [old, next] = [await makeKey('old'), await makeKey('next')];
  const { server, keys } = serve(old.jwk);
  expect(await works(keys, await old.sign())).toBe(true);
  server.keys = [old.jwk, next.jwk];
  vi.advanceTimersByTime(5_001);
  expect(await works(keys, await next.sign())).toBe(true);
  expect(await works(keys, await old.sign())).toBe(true);
  expect(server.reads).toBe(2);
  server.keys = [next.jwk];
  vi.advanceTimersByTime(300_001);
  await works(keys, await old.sign());
  await vi.waitFor(async () => expect(await works(keys, await old.sign())).toEqual(unknown));
  server.keys = [old.jwk];
  vi.advanceTimersByTime(600_001);
  expect(await works(keys, await next.sign())).toEqual(unknown);
});

test('a flood of unknown keys makes one read in five seconds, however many ask', async () => {
  const key = await makeKey('known');
  const { server, keys } = serve(key.jwk);
  const tokens = await Promise.all(Array.from({ length: 200 }, (_, index) => key.sign({ kid: `made-up-${index}` })));
  const flood = () => Promise.all(tokens.map((token) => works(keys, token)));
  for (let round = 1; round <= 3; round += 1) {
    expect(new Set(await flood()).size).toBe(1);
    expect(await flood()).toContainEqual(unknown);
    expect(await works(keys, await key.sign())).toBe(true);
    expect(server.reads).toBe(round);
    vi.advanceTimersByTime(5_001);
  }
});

test('while the issuer does not answer, known keys go on, and unknown ones wait for it', async () => {
  const [known, next] = [await makeKey('known'), await makeKey('next')];
  const { server, keys } = serve(known.jwk);
  server.fails = true;
  const unavailable = 'keys of issuer one cannot be read: issuer.example: HTTP 500';
  await expect(verify(await known.sign(), identity, keys.find)).rejects.toThrow(unavailable);
  server.fails = false;
  vi.advanceTimersByTime(5_001);
  expect(await works(keys, await known.sign())).toBe(true);
  server.fails = true;
  vi.advanceTimersByTime(600_001);
  expect(await works(keys, await known.sign())).toBe(true);
  await expect(verify(await next.sign(), identity, keys.find)).rejects.toThrow(unavailable);
  expect(await works(keys, await known.sign())).toBe(true);
});

test.each<[what: string, set: (jwk: JWK) => unknown[], header: object, expected: unknown]>([
  ['one key without a kid on either side', ({ kid: _, ...jwk }) => [jwk], { kid: undefined }, true],
  ['no kid, and two keys', (jwk) => [jwk, { ...jwk, kid: 'two' }], { kid: undefined }, expect.any(String)],
  ['a kid twice', (jwk) => [jwk, jwk], {}, expect.stringContaining('several keys')],
  [
    'a SPIFFE bundle',
    (jwk) => [
      { ...jwk, use: 'jwt-svid' },
      { ...jwk, use: 'x509-svid' },
    ],
    {},
    true,
  ],
  ['a key for encryption', (jwk) => [{ ...jwk, use: 'enc' }], {}, unknown],
  ['a key of another algorithm', (jwk) => [{ ...jwk, alg: 'ES384' }], {}, unknown],
  ['a private key', (jwk) => [{ ...jwk, d: 'AAAA' }], {}, unknown],
  ['keys of unknown kinds beside it', (jwk) => [null, 7, { kty: 'oct', k: 'AA' }, { kty: 'AKP' }, jwk], {}, true],
  ['a point that is none', (jwk) => [{ ...jwk, x: jwk.y }], {}, expect.any(String)],
])('%s', async (_what, set, header, expected) => {
  const key = await makeKey('one');
  expect(await works(serve(...set(key.jwk)).keys, await key.sign(header))).toEqual(expected);
});

test.each<[what: string, answers: Record<string, unknown>, fault: string]>([
  [
    'discovery of another issuer',
    { issuer: 'https://issuer.example/tenant', jwks_uri: 'https://k.example' },
    'is of another issuer',
  ],
  ['no discovery', { keys: [] }, 'no discovery document'],
  ['51 keys', { issuer, jwks_uri: 'https://k.example', keys: Array.from({ length: 51 }, () => ({})) }, 'more than 50'],
  ['no set', { issuer, jwks_uri: 'https://k.example', keys: {} }, 'no key set'],
])('%s is refused as unavailable', async (_what, answer, fault) => {
  const keys = new IssuerKeys({ ...identity, keys: { discovery: true } }, async () => answer);
  const token = await (await makeKey('one')).sign();
  await expect(verify(token, identity, keys.find)).rejects.toThrow(fault);
});

test('keys that stand in the document are never read, and what is refused is a TokenRefused', async () => {
  const [one, two] = [await makeKey('one'), await makeKey('two')];
  const read = vi.fn<ReadJson>();
  const keys = new IssuerKeys({ ...identity, keys: { jwks: { keys: [one.jwk as never] } } }, read);
  expect(await works(keys, await one.sign())).toBe(true);
  await expect(verify(await two.sign(), identity, keys.find)).rejects.toBeInstanceOf(TokenRefused);
  expect(read).not.toHaveBeenCalled();
});
