import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderKey } from '@agp/core/contracts';
import { eventually, waitFor } from '@agp/testing';
import { startFakeProvider } from '@agp/testing/providers';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { startSystem } from '../system/start-system.ts';

/** A folder as kubelet mounts a Secret: files are links into a folder that another one replaces. */
function mountSecret(names: readonly string[], value: string) {
  const folder = mkdtempSync(join(tmpdir(), 'agp-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let version = 0;
  const put = (text: string) => {
    version += 1;
    mkdirSync(join(folder, `..${version}`));
    for (const name of names) writeFileSync(join(folder, `..${version}`, name), text);
    symlinkSync(`..${version}`, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  put(value);
  for (const name of names) symlinkSync(`..data/${name}`, join(folder, name));
  return { file: (name: string) => join(folder, name), put };
}

const fingerprintOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 8);

test('the next request has the key that its file has now, a wrong file changes nothing, and uses of both keys are told', async () => {
  await using provider = await startFakeProvider(() => ({ body: { data: [] } }));
  const secret = mountSecret(['openai'], 'fake-old\n');
  await using system = await startSystem({
    environment: {
      PROVIDER_OPENAI_URL: provider.url,
      PROVIDER_OPENAI_API_KEY_FILE: secret.file('openai'),
      PROVIDER_ANTHROPIC_API_KEY: 'fake-unused',
    },
  });
  const [proxy] = system.proxies;
  const send = async () => {
    const { status } = await fetch(`${proxy?.url}/openai/v1/models`, { headers: { 'x-agent-name': 'worker' } });
    expect(status).toBe(200);
    return provider.requests.at(-1)?.headers.authorization;
  };
  expect(await send()).toBe('Bearer fake-old');
  secret.put('two words');
  secret.put('');
  expect(await send()).toBe('Bearer fake-old');
  secret.put('fake-new\n');
  await eventually(async () => expect(await send()).toBe('Bearer fake-new'));
  await proxy?.stop();
  const keys = await system.api<ProviderKey[]>('/api/v1/provider-keys');
  const told = keys.map(({ provider: id, fingerprint, source, last_used_at: used }) => [
    ...[id, fingerprint, source],
    used !== null,
  ]);
  expect(told).toHaveLength(3);
  expect(told).toEqual(
    expect.arrayContaining([
      ['anthropic', fingerprintOf('fake-unused'), 'PROVIDER_ANTHROPIC_API_KEY', false],
      ['openai', fingerprintOf('fake-new'), 'PROVIDER_OPENAI_API_KEY_FILE', true],
      ['openai', fingerprintOf('fake-old'), 'PROVIDER_OPENAI_API_KEY_FILE', true],
    ]),
  );
  expect(JSON.stringify(keys)).not.toContain('fake-');
  const shown = await runCli(['status', '--no-color'], { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey });
  expect(shown.stdout).toMatch(/^KEY OF +SHA-256 +LAST USED +HELD BY/m);
  expect(shown.stdout).toMatch(new RegExp(`^openai +${fingerprintOf('fake-old')} +20\\d\\d-`, 'm'));
  expect(shown.stdout).toMatch(new RegExp(`^anthropic +${fingerprintOf('fake-unused')} +never `, 'm'));
});

test("management takes another key of its own once the file has it, and the one before is nobody's", async () => {
  const keys = ['agm_first-key-of-management', 'agm_second-key-of-management'] as const;
  const secret = mountSecret(['key'], keys[0]);
  await using system = await startSystem({
    proxies: 0,
    writers: 0,
    environment: { MANAGEMENT_API_KEY_FILE: secret.file('key') },
  });
  const ask = async (key: string) =>
    (await fetch(`${system.management.url}/api/v1/pause`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect([await ask(keys[0]), await ask(keys[1])]).toEqual([200, 401]);
  secret.put('too short');
  secret.put(keys[1]);
  await waitFor('the second key', async () => (await ask(keys[1])) === 200);
  expect(await ask(keys[0])).toBe(401);
});
