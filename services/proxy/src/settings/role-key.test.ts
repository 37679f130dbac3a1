import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@agp/runtime';
import { createEgress, direct } from '@agp/runtime/egress';
import { getToken } from '@aws/bedrock-token-generator';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Aws, judgeKey, minute, roleArn, serve, user, writeTemporary } from '../../test/stand-in-aws.ts';
import { freshenKey } from '../head/endpoints.ts';
import type { Head } from '../journey.ts';
import { AwsIdentity } from './aws-identity.ts';
import { keepMadeKeys } from './made-key.ts';
import type { Provider } from './provider.ts';
import { RoleKey, signBedrockKey } from './role-key.ts';

const start = Date.UTC(2026, 11, 1, 12, 0, 0, 700);

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'setInterval', 'clearInterval'] });
  return () => vi.useRealTimers();
});
afterEach(() => vi.unstubAllEnvs());

const openKey = (environment: NodeJS.ProcessEnv, region = 'eu-central-1') =>
  new RoleKey('PROVIDERS_FILE: [0] ("bedrock"): auth', region, AwsIdentity.find(environment, region, direct));

const asProviders = (...keys: RoleKey[]) => keys.map((apiKey) => ({ apiKey }) as unknown as Provider);

/** Keeps keys, and tells what is logged of them. */
async function keep(...keys: RoleKey[]): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('proxy', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const kept = await keepMadeKeys(asProviders(...keys), logger);
  onTestFinished(() => kept[Symbol.asyncDispose]());
  return lines;
}

/** Lets real servers answer until it holds, while the clock stands. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

test.each([
  ['eu-central-1', user],
  ['us-gov-west-1', { ...user, sessionToken: 'IQoJb3JpZ2luX2VjE/+=&x y' }],
])('a key of %s is to the byte what the token generator of AWS makes', async (region, credentials) => {
  const key = await signBedrockKey(credentials, region, Date.now());
  expect(key?.value).toBe(await getToken({ credentials, region }));
  expect(key?.endsAt).toBe(Math.floor(start / 1_000) * 1_000 + 43_200_000);
  const expiration = new Date(start + 90.5 * minute);
  const shorter = await signBedrockKey({ ...credentials, expiration }, region, Date.now());
  expect(shorter?.value).toBe(await getToken({ credentials, region, expiresInSeconds: 90.5 * 60 }));
  expect(shorter?.endsAt).toBeLessThanOrEqual(expiration.getTime());
  expect(await judgeKey(String(shorter?.value), region)).toEqual({
    accessKeyId: user.accessKeyId,
    endsAt: shorter?.endsAt,
  });
  expect(await judgeKey(String(shorter?.value), 'eu-west-1')).toBe('403 The request signature does not match');
});

test('credentials that have ended, or end at no time that can be read, make no key', async () => {
  for (const expiration of [new Date(start - 1), new Date(start + 100), new Date('soon')])
    expect(await signBedrockKey({ ...user, expiration }, 'eu-central-1', start)).toBeNull();
});

test('each way to an identity makes a key that Bedrock takes', async () => {
  const aws = new Aws();
  const ways = [
    [{ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: user.secretAccessKey }, 'AKIDEXAMPLE', 720],
    [await aws.serveSts('header.claims.canary'), 'ASIA1', 60],
    [await aws.serveContainer('container-canary'), 'ASIA2', 60],
  ] as const;
  for (const [environment, accessKeyId, minutes] of ways) {
    const key = openKey(environment);
    const lines = await keep(key);
    const endsAt = Math.floor(start / 1_000) * 1_000 + minutes * minute;
    expect(await judgeKey(key.value, 'eu-central-1')).toEqual({ accessKeyId, endsAt });
    expect(key.endsAt).toBe(endsAt);
    expect(lines).toMatchObject([{ source: key.source, region: 'eu-central-1', fingerprint: key.use.fingerprint }]);
    expect(JSON.stringify(lines)).not.toMatch(/canary|bedrock-api-key|session/);
  }
});

test('each region has a key of its own, made of one answer of AWS', async () => {
  const aws = new Aws();
  const identity = AwsIdentity.find(await aws.serveSts('token'), 'eu-central-1', direct);
  const keys = ['eu-central-1', 'us-east-1'].map((region) => new RoleKey(region, region, identity));
  await keep(...keys);
  expect(aws.given).toBe(1);
  for (const { value, region } of keys) expect(await judgeKey(value, region)).toMatchObject({ accessKeyId: 'ASIA1' });
});

test.each<[string, (aws: Aws) => Promise<NodeJS.ProcessEnv>, RegExp]>([
  [
    'a role that STS denies',
    async (aws) => {
      aws.denied = 'AccessDenied';
      return aws.serveSts('canary');
    },
    /^PROVIDERS_FILE: \[0\] \("bedrock"\): auth: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN: AWS answers 403 AccessDenied: see to the role's trust policy/,
  ],
  [
    "another's token",
    async (aws) => ({ ...(await aws.serveSts('canary')), AWS_WEB_IDENTITY_TOKEN_FILE: writeTemporary('other-canary') }),
    /AWS answers 400 InvalidIdentityToken/,
  ],
  [
    'a token file that is not there',
    async (aws) => ({ ...(await aws.serveSts('canary')), AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere/token' }),
    /: cannot read \/nowhere\/token \(ENOENT\)/,
  ],
  [
    'a container without its token',
    async (aws) => ({ ...(await aws.serveContainer('canary')), AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: undefined }),
    /AWS_CONTAINER_CREDENTIALS_FULL_URI: AWS answers 403 AccessDeniedException/,
  ],
  [
    'an address that is no container service',
    async () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://canary.example/' }),
    /must be of HTTPS, of this machine/,
  ],
  [
    'what is no address',
    async () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'canary' }),
    /must be of HTTPS, of this machine/,
  ],
  [
    'credentials that have ended',
    async () => ({
      ...{ AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'canary' },
      AWS_CREDENTIAL_EXPIRATION: new Date(start).toISOString(),
    }),
    /its credentials have ended, or this clock is wrong/,
  ],
])('%s is told at start', async (_what, serveAws, message) => {
  const started = keep(openKey(await serveAws(new Aws())));
  await expect(started).rejects.toThrow(message);
  await expect(started).rejects.not.toThrow(/canary/);
});

test('no identity at all is told with the variables that give one', () => {
  const ways = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or ';
  expect(() => openKey({ AWS_ROLE_ARN: roleArn })).toThrow(`no identity of AWS: set ${ways}`);
});

test.each([
  ['cannot be reached', () => Promise.resolve('http://127.0.0.1:9'), /: cannot be reached \(\w+\)$/],
  ['fails', () => serve(() => ({ status: 500, body: '{}' })), /: AWS answers 500$/],
  ['answers nonsense', () => serve(() => ({ status: 200, body: 'canary' })), /: gave no credentials$/],
])('a container service that %s keeps no proxy from starting, and is told once', async (_what, open, message) => {
  const key = openKey({ AWS_CONTAINER_CREDENTIALS_FULL_URI: await open() });
  const lines = await keep(key);
  expect(lines).toMatchObject([{ level: 'warn', source: key.source, error: expect.stringMatching(message) }]);
  expect([key.value, key.endsAt, key.listUses()]).toEqual(['', 0, []]);
});

test('STS is asked through the egress proxy, which is named if it gives no connection', async () => {
  const asked: string[] = [];
  const proxy = createServer().on('connect', ({ url }, socket) => {
    asked.push(String(url));
    socket.end('HTTP/1.1 407 x\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const egress = createEgress({ httpsProxy: `http://u:canary@${host}` });
  const environment = { AWS_WEB_IDENTITY_TOKEN_FILE: writeTemporary('token'), AWS_ROLE_ARN: roleArn };
  const read = AwsIdentity.find(environment, 'eu-central-1', egress).read();
  await expect(read).rejects.toThrow(`egress proxy ${host} (HTTPS_PROXY): it asks for another user or password (407)`);
  await expect(read).rejects.toMatchObject({ isFinal: false });
  expect(new Set(asked)).toEqual(new Set(['sts.eu-central-1.amazonaws.com:443']));
});

test('a key is renewed five minutes before its end, in one flight', async () => {
  const aws = new Aws();
  const key = openKey(await aws.serveSts('token'));
  await keep(key);
  const { value } = key;
  const renew = vi.spyOn(key, 'renew');
  const { promise, resolve } = Promise.withResolvers<void>();
  aws.gate = promise;
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await new Promise(setImmediate);
    return renew.mock.calls.length;
  };
  expect([await pass(55 * minute - 1_000), await pass(1_000), await pass(1_000), await pass(minute)]).toEqual([
    0, 1, 1, 1,
  ]);
  expect(key.value).toBe(value);
  resolve();
  await until(() => key.value !== value);
  expect([aws.given, await pass(minute)]).toEqual([2, 1]);
  expect(await judgeKey(key.value, 'eu-central-1')).toMatchObject({ accessKeyId: 'ASIA2' });
});

test('while AWS refuses, the key is sent until it ends, and then no more, and comes back', async () => {
  const aws = new Aws();
  const key = openKey(await aws.serveSts('token-canary'));
  const lines = await keep(key);
  const [provider] = asProviders(key) as [Provider];
  const old = {
    provider: Object.assign(provider, { api: 'openai', baseUrl: new URL('https://b.example') }),
    next: null,
  };
  const head = {
    ...old,
    operation: null,
    path: '/v1/x',
    headers: { Authorization: 'Bearer stale' },
  } as unknown as Head;
  const { value } = key;
  aws.denied = 'ExpiredTokenException';
  vi.advanceTimersByTime(56 * minute);
  await until(() => lines.length === 2);
  freshenKey(head);
  expect(head.headers).toEqual({ Authorization: `Bearer ${value}` });
  vi.setSystemTime(key.endsAt - 1);
  freshenKey(head);
  vi.setSystemTime(key.endsAt);
  expect(() => freshenKey(head)).toThrow(expect.objectContaining({ code: 'provider_key_unavailable', status: 503 }));
  aws.denied = null;
  vi.advanceTimersByTime(2 * minute);
  await until(() => key.value !== value);
  freshenKey(head);
  expect(head.headers).toEqual({ Authorization: `Bearer ${key.value}` });
  await until(() => lines.length === 3);
  expect(lines.map(({ level }) => level)).toEqual(['info', 'warn', 'info']);
  expect(lines[1]?.error).toMatch(/AWS answers 400 ExpiredTokenException/);
  expect(JSON.stringify(lines)).not.toMatch(/canary|Not authorized/);
});

test('a clock that is 10 minutes off is not corrected: AWS refuses a key of the future, and ends one of the past sooner', async () => {
  const clockOfAws = start;
  const make = async (now: number) => String((await signBedrockKey(user, 'eu-central-1', now))?.value);
  expect(await judgeKey(await make(start + 10 * minute), 'eu-central-1', clockOfAws)).toBe(
    '403 Signature not yet current',
  );
  const slow = await make(start - 10 * minute);
  expect(await judgeKey(slow, 'eu-central-1', clockOfAws)).toMatchObject({ accessKeyId: user.accessKeyId });
  expect(await judgeKey(slow, 'eu-central-1', clockOfAws + 711 * minute)).toBe('403 Signature expired');
});
