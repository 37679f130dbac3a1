import { direct } from '@agp/runtime/egress';
import { expect, test } from 'vitest';
import { loadProxyConfig } from '../../services/proxy/src/config.ts';
import { AwsIdentity } from '../../services/proxy/src/settings/aws-identity.ts';
import type { Provider } from '../../services/proxy/src/settings/provider.ts';
import { RoleKey } from '../../services/proxy/src/settings/role-key.ts';
import { startProxy } from '../../services/proxy/src/start-proxy.ts';
import { Aws, judgeKey, serve } from '../../services/proxy/test/stand-in-aws.ts';
import { startSystem, waitFor } from '../system/start-system.ts';

const region = 'eu-central-1';

/** Bedrock, which answers whose key it got. */
const startBedrock = () =>
  serve(async ({ headers }) => {
    const judged = await judgeKey(String(headers.authorization).replace('Bearer ', ''), region);
    return typeof judged === 'object'
      ? { status: 200, body: JSON.stringify({ object: 'list', data: [{ id: judged.accessKeyId }] }) }
      : { status: 403, body: JSON.stringify({ message: judged }) };
  });

test("agents call with the key of the proxy's role; a proxy without a key refuses, and goes on once it has one", async () => {
  await using system = await startSystem({ proxies: 0, writers: 0, management: false });
  const variables = { ...system.toEnvironment('proxy'), PROVIDER_OPENAI_URL: await startBedrock() };
  const config = loadProxyConfig({ ...variables, LOG_LEVEL: 'silent' });
  const aws = new Aws();
  const identity = AwsIdentity.find(await aws.serveSts('token'), region, direct);
  const key = new RoleKey('PROVIDERS_FILE: [0] ("bedrock"): auth', region, identity);
  (config.providers.get('openai') as Provider).apiKey = key;

  aws.denied = 'AccessDenied';
  await expect(startProxy(config)).rejects.toThrow(
    /^PROVIDERS_FILE: \[0\] .* AWS answers 403 AccessDenied: see to the role/,
  );

  aws.denied = null;
  await using proxy = await startProxy(config);
  const call = async () => {
    const headers = { 'x-agent-name': 'worker', authorization: 'Bearer sk-of-the-caller' };
    const answer = await fetch(`${proxy.url}/openai/v1/models`, { headers });
    return [answer.status, answer.headers.get('x-error-code'), answer.headers.get('retry-after'), await answer.text()];
  };
  expect(await call()).toEqual([200, null, null, expect.stringContaining('ASIA1')]);
  aws.denied = 'AccessDenied';
  key.endsAt = 0;
  const refused = [503, 'provider_key_unavailable', '5', expect.stringContaining("the provider's key has ended")];
  expect(await call()).toEqual(refused);
  aws.denied = null;
  await waitFor('another key', () => key.endsAt > 0);
  expect(await call()).toEqual([200, null, null, expect.stringContaining('ASIA2')]);
});
