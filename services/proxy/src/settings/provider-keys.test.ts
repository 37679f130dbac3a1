import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { matchOperation } from '@agp/metering';
import { expect, onTestFinished, test } from 'vitest';
import { ProviderKey } from './provider-key.ts';
import { writeKeyHeader } from './provider-keys.ts';

test.each([
  ['openai', 'https://api.openai.com', 'POST', '/v1/chat/completions', { Authorization: 'Bearer k' }],
  ['openai', 'https://x.openai.azure.com', 'POST', '/openai/deployments/d/chat/completions', { 'api-key': 'k' }],
  ['openai', 'https://x.services.ai.azure.com', 'GET', '/models', { 'api-key': 'k' }],
  ['openai', 'https://azure.com.example', 'GET', '/v1/models', { Authorization: 'Bearer k' }],
  ['anthropic', 'https://api.anthropic.com', 'POST', '/v1/messages', { 'x-api-key': 'k' }],
  ['anthropic', 'https://api.anthropic.com', 'GET', '/v1/models', { 'x-api-key': 'k' }],
  ['anthropic', 'https://api.anthropic.com', 'POST', '/v1/chat/completions', { Authorization: 'Bearer k' }],
  ['gemini', 'https://g.example', 'POST', '/v1beta/models/m:generateContent', { 'x-goog-api-key': 'k' }],
  ['gemini', 'https://g.example', 'POST', '/v1beta/openai/chat/completions', { Authorization: 'Bearer k' }],
  ['gemini', 'https://g.example', 'GET', '/v1beta/openai/models', { Authorization: 'Bearer k' }],
] as const)('%s at %s: %s %s', (api, url, method, path, expected) => {
  const apiKey = { value: 'k', isSent: true };
  const header = writeKeyHeader({ api, baseUrl: new URL(url), apiKey }, matchOperation(api, method, path), path);
  expect(header).toEqual(expected);
});

test('a key is read again from its file, and uses of the one before are told as long as there are any', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'key');
  writeFileSync(file, 'fake-old\n');
  const key = new ProviderKey('PROVIDER_OPENAI_API_KEY_FILE', { file });
  const old = key.use;
  expect(old.fingerprint).toBe(createHash('sha256').update('fake-old').digest('hex').slice(0, 8));
  writeFileSync(file, 'fake new');
  expect(() => key.readAgain()).toThrow(/^PROVIDER_OPENAI_API_KEY_FILE: .*key: must hold a key/);
  expect(() => key.readAgain()).not.toThrow(/fake/);
  expect(key.value).toBe('fake-old');
  writeFileSync(file, 'fake-new');
  key.readAgain();
  expect([key.value, key.listUses()]).toEqual(['fake-new', [key.use]]);
  old.isUsed = true;
  expect(key.listUses()).toEqual([key.use, old]);
});
