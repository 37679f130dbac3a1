import { direct, EgressProxy } from '@agp/runtime/egress';
import { startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { judgeSignature, user } from '../../test/stand-in-aws.ts';
import { AwsIdentity } from '../settings/aws-identity.ts';
import type { Provider } from '../settings/provider.ts';
import { SigningKey } from '../settings/signing-key.ts';
import { Upstreams } from './upstreams.ts';

test('what cancels work in the background is signed too, and tells why it cannot be', async () => {
  await using provider = await startFakeProvider((request) => ({
    body: judgeSignature(request, 'eu-west-1', 'bedrock') as object,
  }));
  const environment = { AWS_ACCESS_KEY_ID: user.accessKeyId, AWS_SECRET_ACCESS_KEY: user.secretAccessKey };
  const apiKey = new SigningKey('auth', 'eu-west-1', AwsIdentity.find(environment, 'eu-west-1', direct));
  const upstreams = new Upstreams([], 10_000, { clockWrong: () => {} });
  const target = { origin: provider.url, path: '/v1/responses/r/cancel', method: 'POST' as const, headers: {} };
  const ask = () => upstreams.find({ proxy: null, apiKey } as unknown as Provider).request(target);
  await expect(ask()).rejects.toMatchObject({ code: 'provider_key_unavailable' });
  await apiKey.renew();
  expect(await (await ask()).body.json()).toEqual({ accessKeyId: 'AKIDEXAMPLE' });
  await upstreams.close();
});

test('an egress proxy of no setting is never gone round', async () => {
  const upstreams = new Upstreams([], 10_000, { clockWrong: () => {} });
  const proxy = new EgressProxy('http://127.0.0.1:9', 'HTTPS_PROXY');
  const find = () => upstreams.find({ id: 'openai', proxy, apiKey: null } as unknown as Provider);
  expect(find).toThrow('the egress proxy of the provider openai is not open');
  await upstreams.close();
});
