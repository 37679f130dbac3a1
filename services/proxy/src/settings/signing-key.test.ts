import { Readable } from 'node:stream';
import { direct } from '@agp/runtime/egress';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Aws, minute, user } from '../../test/stand-in-aws.ts';
import { AwsIdentity } from './aws-identity.ts';
import { SigningKey } from './signing-key.ts';

const start = Date.UTC(2026, 10, 28, 12);

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] });
  return () => vi.useRealTimers();
});
afterEach(() => vi.unstubAllEnvs());

async function openKey(environment: NodeJS.ProcessEnv, region = 'us-east-1'): Promise<SigningKey> {
  const key = new SigningKey('auth', region, AwsIdentity.find(environment, region, direct));
  await key.renew();
  return key;
}

const environment = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const origin = 'https://bedrock-runtime.us-east-1.amazonaws.com';
const body = Buffer.from('{"messages":[{"role":"user","content":[{"text":"hi"}]}]}');
const call = { method: 'POST', origin, path: '/model/x/converse', headers: {}, body } as const;

// Computed with AWS' own client for JavaScript.
test.each<[string, { AWS_SESSION_TOKEN?: string }, string]>([
  [
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    {},
    'a1c49dcfab821534d23bb3afefead15b514635e28b8c29b05530c893ffc40fcb',
  ],
  [
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123def456',
    {},
    '86b0cb0b83859a5c4dabd2480be01dcfddacd174cf1246233245a951db1d3a3a',
  ],
  [
    'amazon.nova-pro-v1:0',
    { AWS_SESSION_TOKEN: 'AQoDYXdzEJr//TOKEN' },
    '2fb2ae9ddf4100e2657205e614fb3d8a27509084b3b808c88e409c59b7d6f97c',
  ],
])('a call of %s is signed to the byte as by AWS', async (model, more, signature) => {
  const key = await openKey({ ...environment, ...more });
  const headers = { 'Content-Type': 'application/json', Authorization: 'stale', 'X-Amz-Date': 'stale', Accept: '*/*' };
  const signed = await key.sign({ ...call, path: `/model/${encodeURIComponent(model)}/converse`, headers });
  const token = more.AWS_SESSION_TOKEN;
  const names = `content-type;host;x-amz-content-sha256;x-amz-date${token ? ';x-amz-security-token' : ''}`;
  expect(signed.headers).toEqual({
    'Content-Type': 'application/json',
    Accept: '*/*',
    'x-amz-date': '20261128T120000Z',
    'x-amz-content-sha256': 'c3335e07d6e89650bf94cb98664be69f8774dbc3198df221f113db0a59ea14f0',
    ...(token && { 'x-amz-security-token': token }),
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261128/us-east-1/bedrock/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  });
});

test('mantle has a service of its own', async () => {
  const key = await openKey(environment);
  const signed = await key.sign({ ...call, origin: 'https://bedrock-mantle.us-east-1.api.aws' });
  expect(signed.headers.authorization).toContain('/us-east-1/bedrock-mantle/aws4_request');
});

test('a body that streams through is refused, and so is a call before there are credentials', async () => {
  const key = await openKey(environment);
  await expect(key.sign({ ...call, body: Readable.from([]) })).rejects.toMatchObject({ code: 'not_governed' });
  const none = new SigningKey('auth', 'us-east-1', AwsIdentity.find(environment, 'us-east-1', direct));
  await expect(none.sign(call)).rejects.toMatchObject({ code: 'provider_key_unavailable' });
});

test('credentials last as long as AWS says, those of a user for ever', async () => {
  const aws = new Aws();
  const key = await openKey(await aws.serveSts('token'));
  expect([key.value, key.endsAt, key.isSent, key.listUses()]).toEqual(['ASIA1', start + 60 * minute, false, []]);
  await key.renew();
  expect(key.value).toBe('ASIA2');
  expect((await openKey({ AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: user.secretAccessKey })).endsAt).toBe(
    Number.POSITIVE_INFINITY,
  );
  const ended = { ...environment, AWS_CREDENTIAL_EXPIRATION: new Date(start).toISOString() };
  await expect(openKey(ended)).rejects.toThrow('its credentials have ended, or this clock is wrong');
});

test("AWS' clock is taken from a refusal only if ours is so far off that it is the cause", async () => {
  const key = await openKey(environment);
  const at = (ms: number) => new Date(start + ms).toUTCString();
  expect([key.correct(at(3 * minute), 0), key.correct(undefined, 0), key.correct('soon', 0)]).toEqual([
    null,
    null,
    null,
  ]);
  expect(key.correct(at(10 * minute), 0)).toBe(10 * minute);
  const { headers, skewMs } = await key.sign(call);
  expect([headers['x-amz-date'], skewMs]).toEqual(['20261128T121000Z', 10 * minute]);
  expect(key.correct(at(10 * minute), skewMs)).toBeNull();
  // One that was signed before the correction.
  expect(key.correct(at(10 * minute), 0)).toBe(10 * minute);
  expect(key.correct(at(0), skewMs)).toBe(-10 * minute);
});

test("credentials end by AWS' clock, before and after it is known", async () => {
  const aws = new Aws();
  const key = await openKey(await aws.serveSts('token'));
  const end = key.endsAt;
  key.correct(new Date(start + 10 * minute).toUTCString(), 0);
  expect(key.endsAt).toBe(end - 10 * minute);
  await key.renew();
  expect(key.endsAt).toBe(end - 10 * minute);
});
