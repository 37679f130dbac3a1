import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadProviders } from './load-providers.ts';

function writeProviders(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-providers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'providers.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('the built-in providers are there without configuration', () => {
  const providers = loadProviders(undefined, {});
  expect([...providers.values()].map(({ id, api, baseUrl }) => [id, api, baseUrl.href])).toEqual([
    ['openai', 'openai', 'https://api.openai.com/'],
    ['anthropic', 'anthropic', 'https://api.anthropic.com/'],
    ['gemini', 'gemini', 'https://generativelanguage.googleapis.com/'],
  ]);
});

test('the file is merged over the table, and variables over both', () => {
  const file = writeProviders([
    { id: 'my-groq', api: 'openai', base_url: 'https://api.groq.com/openai' },
    { id: 'anthropic', api: 'anthropic', base_url: 'http://127.0.0.1:1' },
  ]);
  const environment = { PROVIDER_MY_GROQ_URL: 'http://127.0.0.1:2/openai', PROVIDER_VLLM_URL: 'http://127.0.0.1:3' };
  const providers = loadProviders(file, environment);
  expect(providers.get('my-groq')?.baseUrl.href).toBe('http://127.0.0.1:2/openai');
  expect(providers.get('anthropic')?.baseUrl.href).toBe('http://127.0.0.1:1/');
  expect(providers.get('vllm')).toMatchObject({ id: 'vllm', api: 'openai' });
});

test('streams are asked for their usage, but for servers that are known or said to refuse it', () => {
  const file = writeProviders([
    { id: 'mistral', api: 'openai', base_url: 'https://api.mistral.ai' },
    { id: 'mistral-behind', api: 'openai', base_url: 'https://gateway.test/mistral.ai' },
    { id: 'willing', api: 'openai', base_url: 'https://api.mistral.ai', ask_usage: true },
    { id: 'moved', api: 'openai', base_url: 'https://a.test', ask_usage: false },
  ]);
  const providers = loadProviders(file, { PROVIDER_MOVED_URL: 'http://127.0.0.1:2' });
  const asks = [...providers.values()].map(({ id, asksForUsage }) => [id, asksForUsage]);
  expect(Object.fromEntries(asks)).toEqual({
    openai: true,
    anthropic: true,
    gemini: true,
    mistral: false,
    'mistral-behind': true,
    willing: true,
    moved: false,
  });
});

test.each([
  ['not JSON', '{', 'PROVIDERS_FILE'],
  ['a reserved id', [{ id: 'agents', api: 'openai', base_url: 'http://a' }], 'agents is reserved'],
  ['an unknown api', [{ id: 'x', api: 'soap', base_url: 'http://a' }], '0.api'],
  ['a file URL', [{ id: 'x', api: 'openai', base_url: 'file:///etc/passwd' }], '0.base_url'],
  ['credentials in a URL', [{ id: 'x', api: 'openai', base_url: 'http://u:p@a' }], '0.base_url'],
  ['a member that is not known', [{ id: 'x', api: 'openai', base_url: 'http://a', api_kye: 'x' }], 'api_kye'],
])('%s is refused at start, by name', (_what, content, message) => {
  expect(() => loadProviders(writeProviders(content), {})).toThrow(message);
});

test('a variable that is no URL is refused by its name', () => {
  expect(() => loadProviders(undefined, { PROVIDER_OPENAI_URL: 'localhost' })).toThrow('PROVIDER_OPENAI_URL');
});
