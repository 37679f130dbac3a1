import { expect, test } from 'vitest';
import type { ProviderApi } from './dialects/operation.ts';
import { dialects, matchOperation } from './match-operation.ts';

/** What is none, and what is of another dialect than the provider's; all others stand in the table of operations. */
const table: [ProviderApi, string, string, string | null][] = [
  ['openai', 'GET', '/v1/responses/resp_1/input_items', null],
  ['openai', 'GET', '/v1/images/generations', null],
  ['openai', 'GET', '/v1/models', null],
  ['openai', 'GET', '/v1/chat/completions', null],
  ['openai', 'POST', '/v1/chat/completions/chatcmpl-1', null],
  ['openai', 'GET', '/v1/responses/resp_1/cancel', null],
  ['openai', 'GET', '/v1/vector_stores/v/file_batches/b', null],
  ['openai', 'GET', '/v1/messages/batches/msgbatch_1', null],
  ['openai', 'POST', '/v1/videos/characters', null],
  ['openai', 'GET', '/v1/videos/video_1', null],
  ['openai', 'POST', '/v1/threads/thread_1/messages', null],
  ['openai', 'POST', '/v1/files', null],
  ['openai', 'POST', '/', null],
  ['openai', 'POST', '', null],
  ['anthropic', 'GET', '/v1/messages/batches/msgbatch_1', null],
  ['anthropic', 'POST', '/v1/messages/batches/msgbatch_1/cancel', null],
  ['anthropic', 'GET', '/v1/messages', null],
  [
    'gemini',
    'POST',
    '/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict',
    'messages.count_tokens',
  ],
  ['gemini', 'GET', '/v1/messages/batches/msgbatch_1', null],
  ['gemini', 'POST', '/v1beta/batches/123:cancel', null],
  ['gemini', 'POST', '/v1beta/interactions/1/cancel', 'interactions.get'],
  ['gemini', 'GET', '/v1beta/interactions', null],
  ['gemini', 'GET', '/v1beta/cachedContents/c', null],
  ['gemini', 'GET', '/v1beta/models/gemini-2.5-pro', null],
  ['gemini', 'POST', '/v1beta/models/gemini-2.5-pro:__proto__', null],
  ['gemini', 'POST', '/v1beta/openai/chat/completions', 'chat.completions'],
  ['openai', 'POST', '/v1/messages', 'messages'],
];

test.each(table)('%s %s %s is %s', (api, method, path, name) => {
  expect(matchOperation(api, method, path)?.name ?? null).toBe(name);
});

test('batches at /v1 are the provider’s own', () => {
  const gemini = dialects.gemini.match('/v1/batches/b', 'GET');
  expect(gemini).not.toBeNull();
  expect(matchOperation('gemini', 'GET', '/v1/batches/b')).toBe(gemini);
  expect(matchOperation('openai', 'GET', '/v1/batches/b')).not.toBe(gemini);
});

test.each<[ProviderApi, string]>([
  ['gemini', '/v1beta/models/m:generateContent'],
  ['anthropic', '/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict'],
])('the model in the path of %s, %s, is found with a slash behind it too', (api, path) => {
  for (const written of [path, `${path}/`]) {
    expect(matchOperation(api, 'POST', written)?.readRequest({}, written).requestedModel).toBe('m');
  }
});

test.each<[ProviderApi, string]>([
  ['anthropic', '/v1/messages/batches/b1/results'],
  ['gemini', '/v1beta/batches/b1'],
  ['gemini', '/v1beta/interactions/b1'],
  ['openai', '/v1/batches/b1'],
  ['openai', '/v1/batch/jobs/b1'],
  ['openai', '/v1/responses/b1'],
  ['openai', '/v1/chat/deferred-completion/b1'],
  ['openai', '/async/chat/completions/b1'],
])('a bill of %s at %s is the same one with a trailing slash', (api, path) => {
  for (const written of [path, `${path}/`])
    expect(matchOperation(api, 'GET', written)?.billedOnce?.(written)).toBe('b1');
});
