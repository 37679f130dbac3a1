import { expect, test } from 'vitest';
import type { ProviderApi } from './dialects/operation.ts';
import { dialects, matchOperation } from './match-operation.ts';

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
  ['openai', 'GET', '/v1/responses/resp_1', 'responses.get'],
  ['openai', 'GET', '/v1/responses/resp_1/input_items', null],
  ['openai', 'GET', '/v1/images/generations', null],
  ['openai', 'GET', '/v1/models', null],
  ['openai', 'GET', '/v1/chat/completions', null],
  ['openai', 'GET', '/v1/chat/completions/chatcmpl-1', 'chat.completions.get'],
  ['openai', 'GET', '/v1/chat/deferred-completion/d', 'chat.completions.get'],
  ['openai', 'POST', '/async/chat/completions', 'async.chat.completions'],
  ['openai', 'GET', '/async/chat/completions/a', 'async.chat.completions.get'],
  ['openai', 'POST', '/v1/chat/completions/chatcmpl-1', null],
  ['openai', 'POST', '/v1/responses/resp_1/cancel', 'responses.get'],
  ['openai', 'GET', '/v1/responses/resp_1/cancel', null],
  ['openai', 'POST', '/v1/batches', 'batches'],
  ['openai', 'POST', '/v1/batch/jobs', 'batches'],
  ['openai', 'GET', '/v1/batches', 'batches.list'],
  ['openai', 'GET', '/v1/batches/batch_1', 'batches.get'],
  ['openai', 'GET', '/openai/v1/batches/batch_1', 'batches.get'],
  ['openai', 'GET', '/v1/batch/jobs/job_1', 'batches.get'],
  ['openai', 'POST', '/v1/batches/batch_1/cancel', 'batches.get'],
  ['openai', 'GET', '/v1/vector_stores/v/file_batches/b', null],
  ['openai', 'GET', '/v1/messages/batches/msgbatch_1', null],
  ['openai', 'POST', '/v1/videos', 'videos'],
  ['openai', 'POST', '/v1/videos/video_1/remix', 'videos'],
  ['openai', 'POST', '/v1/videos/edits', 'videos'],
  ['openai', 'POST', '/openai/v1/video/generations/jobs', 'videos'],
  ['openai', 'POST', '/v1/videos/characters', null],
  ['openai', 'GET', '/v1/videos/video_1', null],
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
  ['gemini', 'GET', '/v1/messages/batches/msgbatch_1', null],
  ['gemini', 'POST', '/v1beta/batches/123:cancel', null],
  ['gemini', 'POST', '/v1beta/interactions', 'interactions'],
  ['gemini', 'POST', '/v1/projects/p/locations/l/interactions', 'interactions'],
  ['gemini', 'POST', '/v1beta/interactions/1/cancel', 'interactions.get'],
  ['gemini', 'GET', '/v1beta/interactions/1', 'interactions.get'],
  ['gemini', 'GET', '/v1beta/interactions', null],
  ['gemini', 'GET', '/v1beta/openai/batches/b', 'batches.get'],
  ['gemini', 'POST', '/v1beta/models/veo-3.1-generate-preview:predictLongRunning', 'predictLongRunning'],
  ['gemini', 'POST', '/v1/projects/p/locations/l/publishers/google/models/imagen-4.0-generate-001:predict', 'predict'],
  [
    'gemini',
    'POST',
    '/v1/projects/p/locations/l/publishers/google/models/m:fetchPredictOperation',
    'fetchPredictOperation',
  ],
  ['gemini', 'POST', '/v1/projects/p/locations/l/endpoints/12:generateContent', 'generateContent'],
  ['gemini', 'POST', '/v1beta/models/gemini-embedding-001:asyncBatchEmbedContent', 'asyncBatchEmbedContent'],
  ['gemini', 'POST', '/v1beta/cachedContents', 'cachedContents.create'],
  ['gemini', 'PATCH', '/v1beta/cachedContents/c', 'cachedContents.update'],
  ['gemini', 'GET', '/v1beta/cachedContents/c', null],
  ['gemini', 'POST', '/v1/projects/p/locations/l/batchPredictionJobs', 'batchPredictionJobs'],
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
