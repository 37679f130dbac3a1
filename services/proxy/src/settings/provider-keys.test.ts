import { matchOperation } from '@agp/metering';
import { expect, test } from 'vitest';
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
  const header = writeKeyHeader({ api, baseUrl: new URL(url) }, 'k', matchOperation(api, method, path), path);
  expect(header).toEqual(expected);
});
