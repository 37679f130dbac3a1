import { expect, test } from 'vitest';
import type { ProviderApi } from './dialects/operation.ts';
import { matchOperation } from './match-operation.ts';

const table: [ProviderApi, string, string, string | null][] = [
  ['openai', 'POST', '/v1/chat/completions', 'chat.completions'],
  ['openai', 'POST', '/chat/completions', 'chat.completions'],
  ['openai', 'POST', '/v1/chat/completions/', 'chat.completions'],
  ['openai', 'POST', '/openai/v1/chat/completions', 'chat.completions'],
  ['openai', 'POST', '/openai/deployments/my-gpt/chat/completions', 'chat.completions'],
  ['openai', 'POST', '/v1/completions', 'completions'],
  ['openai', 'POST', '/v1/fim/completions', 'fim.completions'],
  ['openai', 'POST', '/v1/responses', 'responses'],
  ['openai', 'POST', '/v1/responses/compact', 'responses.compact'],
  ['openai', 'POST', '/v1/responses/input_tokens', 'responses.input_tokens'],
  ['openai', 'POST', '/v1/embeddings', 'embeddings'],
  ['openai', 'POST', '/v1/images/generations', 'images.generations'],
  ['openai', 'POST', '/openai/deployments/my-image/images/generations', 'images.generations'],
  ['openai', 'POST', '/v1/images/edits', 'images.edits'],
  ['openai', 'POST', '/v1/images/variations', 'images.variations'],
  ['openai', 'POST', '/v1/audio/transcriptions', 'audio.transcriptions'],
  ['openai', 'POST', '/openai/v1/audio/transcriptions', 'audio.transcriptions'],
  ['openai', 'POST', '/v1/audio/translations', 'audio.translations'],
  ['openai', 'POST', '/v1/audio/speech', 'audio.speech'],
  ['openai', 'POST', '/v1/rerank', 'rerank'],
  ['openai', 'POST', '/v1/moderations', 'moderations'],
  ['openai', 'GET', '/v1/responses/resp_1', null],
  ['openai', 'GET', '/v1/images/generations', null],
  ['openai', 'GET', '/v1/models', null],
  ['openai', 'GET', '/v1/chat/completions', null],
  ['openai', 'POST', '/v1/chat/completions/chatcmpl-1', null],
  ['openai', 'POST', '/v1/responses/resp_1/cancel', null],
  ['openai', 'POST', '/v1/threads/thread_1/messages', null],
  ['openai', 'POST', '/v1/files', null],
  ['openai', 'POST', '/', null],
  ['openai', 'POST', '', null],
  ['anthropic', 'POST', '/v1/messages', 'messages'],
  ['anthropic', 'POST', '/messages', 'messages'],
  ['anthropic', 'POST', '/v1/messages/count_tokens', 'messages.count_tokens'],
  ['anthropic', 'POST', '/v1/messages/batches', 'messages.batches'],
  ['anthropic', 'GET', '/v1/messages/batches/msgbatch_1/results', 'messages.batches.results'],
  ['anthropic', 'GET', '/v1/messages/batches/msgbatch_1', null],
  ['anthropic', 'POST', '/v1/messages/batches/msgbatch_1/cancel', null],
  ['anthropic', 'GET', '/v1/messages', null],
  ['gemini', 'POST', '/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@1:streamRawPredict', 'messages'],
  [
    'gemini',
    'POST',
    '/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict',
    'messages.count_tokens',
  ],
  ['gemini', 'POST', '/v1beta/models/gemini-2.5-pro:generateContent', 'generateContent'],
  ['gemini', 'POST', '/v1alpha/models/gemini-2.5-pro%3AstreamGenerateContent', 'streamGenerateContent'],
  ['gemini', 'POST', '/v1/projects/p/locations/l/publishers/google/models/m:generateContent', 'generateContent'],
  ['gemini', 'POST', '/v1beta/tunedModels/mine:generateContent', 'generateContent'],
  ['gemini', 'POST', '/v1beta/models/gemini-embedding-001:batchEmbedContents', 'batchEmbedContents'],
  ['gemini', 'POST', '/v1beta/models/gemini-2.5-pro:countTokens', 'countTokens'],
  ['gemini', 'POST', '/v1beta/models/gemini-2.5-pro:batchGenerateContent', 'batchGenerateContent'],
  ['gemini', 'GET', '/v1beta/batches/123', 'batches.get'],
  ['gemini', 'GET', '/v1beta/batches', 'batches.list'],
  ['gemini', 'POST', '/v1beta/batches/123:cancel', null],
  ['openai', 'GET', '/v1/batches/batch_1', null],
  ['gemini', 'POST', '/v1beta/interactions', 'interactions'],
  ['gemini', 'POST', '/v1/projects/p/locations/l/interactions', 'interactions'],
  ['gemini', 'POST', '/v1beta/interactions/1/cancel', null],
  ['gemini', 'GET', '/v1beta/models/gemini-2.5-pro', null],
  ['gemini', 'POST', '/v1beta/models/gemini-2.5-pro:__proto__', null],
  ['gemini', 'POST', '/v1beta/openai/chat/completions', 'chat.completions'],
  ['openai', 'POST', '/v1/messages', 'messages'],
];

test.each(table)('%s %s %s is %s', (api, method, path, name) => {
  expect(matchOperation(api, method, path)?.name ?? null).toBe(name);
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
])('a bill of %s at %s is the same one with a trailing slash', (api, path) => {
  for (const written of [path, `${path}/`])
    expect(matchOperation(api, 'GET', written)?.billedOnce?.(written)).toBe('b1');
});
