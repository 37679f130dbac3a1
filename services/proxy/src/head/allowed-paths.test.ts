import { defaultPaths, type PathPattern, parsePathPattern } from '@agp/catalogue';
import type { ProviderApi } from '@agp/core/operations';
import { matchOperation } from '@agp/metering';
import { expect, test } from 'vitest';
import { isAllowedPath } from './allowed-paths.ts';

const byDefault = (api: ProviderApi, line: string) => {
  const [method = '', path = ''] = line.split(' ');
  return isAllowedPath([defaultPaths], method, path, matchOperation(api, method, path));
};

test.each([
  ['openai', 'POST /v1/chat/completions'],
  ['openai', 'POST /v1/responses'],
  ['openai', 'POST /v1/embeddings'],
  ['openai', 'GET /v1/models'],
  ['openai', 'GET /v1/models/gpt-5'],
  ['openai', 'GET /api/v1/models/meta-llama/llama-4:free'],
  ['openai', 'POST /openai/deployments/my-gpt/chat/completions'],
  ['anthropic', 'POST /v1/messages'],
  ['anthropic', 'POST /v1/messages/count_tokens'],
  ['anthropic', 'GET /v1/models/claude-sonnet-5'],
  ['gemini', 'POST /v1beta/models/gemini-2.5-flash:streamGenerateContent'],
  ['gemini', 'GET /v1beta/models'],
  ['gemini', 'POST /v1beta/openai/chat/completions'],
  ['openai', 'POST /api/v1/images/generations'],
  ['openai', 'POST /models/chat/completions'],
  ['openai', 'POST /anthropic/v1/messages'],
  ['gemini', 'POST /v1beta/models/own%2Fx:generateContent'],
  ['gemini', 'POST /v1beta/models%2Fgemini-x%3AgenerateContent'],
  ['gemini', 'POST /v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent'],
  ['gemini', 'POST /v1/projects/p/locations/l/publishers/anthropic/models/claude-x@1:streamRawPredict'],
  ['gemini', 'POST /v1/projects/p/locations/l/endpoints/openapi/chat/completions'],
  ['gemini', 'POST /v1beta/interactions'],
] as const)('%s: %s is allowed by default', (api, line) => {
  expect(byDefault(api, line)).toBe(true);
});

test.each([
  ['openai', 'GET /v1/files'],
  ['openai', 'POST /v1/files'],
  ['openai', 'POST /v1/batches'],
  ['openai', 'GET /v1/responses/resp_1'],
  ['openai', 'DELETE /v1/models/ft:gpt-5:mine'],
  ['openai', 'GET /v1/organization/admin_api_keys'],
  ['openai', 'GET /v1/organization/projects/models'],
  ['openai', 'POST /v1/fine_tuning/jobs'],
  ['openai', 'POST /v1/threads/thread_1/messages'],
  ['openai', 'GET /v1/chat/completions'],
  ['openai', 'GET /'],
  ['openai', 'PUT /v1/chat/completions'],
  ['openai', 'GET /v1/m%6fdels'],
  ['anthropic', 'POST /v1/messages/batches'],
  ['anthropic', 'GET /v1/messages/batches/msgbatch_1/results'],
  ['anthropic', 'GET /v1/organizations/users'],
  ['gemini', 'POST /v1beta/models/gemini-2.5-flash:batchGenerateContent'],
  ['gemini', 'GET /v1beta/files'],
  ['gemini', 'GET /v1beta/models/veo-3/operations'],
  ['gemini', 'GET /v1beta/models/veo-3/operation%73'],
  ['gemini', 'GET /v1beta/models/veo-3%2Foperations'],
  ['gemini', 'GET /v1beta/models/veo-3%2foperations/y'],
  ['gemini', 'GET /v1beta/models/veo-3%2foperations%2fy'],
  ['gemini', 'GET /v1beta/models/veo-3/Operations'],
  ['gemini', 'POST /v1beta/cachedContents'],
  ['openai', 'POST /v1/threads/thread_1/responses'],
  ['openai', 'POST /v1/organization/projects/p/chat/completions'],
  ['openai', 'POST /v1/containers/c%2Fembeddings'],
  ['openai', 'POST /v1/deployments/a/b/embeddings'],
  ['anthropic', 'POST /v1/organizations/o/v1/messages'],
  ['gemini', 'POST /v1beta/corpora/c/models/x:generateContent'],
  // What the table of docs/security.md lists.
  ['openai', 'POST /v1/videos'],
  ['openai', 'POST /v1/vector_stores/vs_1/search'],
  ['openai', 'POST /v1/containers'],
  ['openai', 'GET /v1/organization/costs'],
  ['anthropic', 'POST /v1/files'],
  ['gemini', 'POST /v1beta/models/veo-3:predictLongRunning'],
] as const)('%s: %s is not', (api, line) => {
  expect(byDefault(api, line)).toBe(false);
});

const allows = (patterns: string[], line: string) => {
  const [method = '', path = ''] = line.split(' ');
  const parsed = patterns.map((text) => (text === defaultPaths ? text : (parsePathPattern(text) as PathPattern)));
  return isAllowedPath(parsed, method, path, matchOperation('openai', method, path));
};

test('a pattern is a whole path or its beginning, for every method or for one', () => {
  expect(allows(['/v1/files'], 'GET /v1/files')).toBe(true);
  expect(allows(['/v1/files'], 'DELETE /v1/files')).toBe(true);
  expect(allows(['/v1/files'], 'GET /v1/files/file-1')).toBe(false);
  expect(allows(['/v1/files/*'], 'GET /v1/files/file-1')).toBe(true);
  expect(allows(['/v1/files/*'], 'GET /v1/files')).toBe(false);
  expect(allows(['POST /v1/files'], 'GET /v1/files')).toBe(false);
});

test('patterns replace what is allowed by default, unless they name it', () => {
  expect(allows(['/v1/rerank'], 'POST /v1/chat/completions')).toBe(false);
  expect(allows(['default', '/v1/rerank'], 'POST /v1/chat/completions')).toBe(true);
  expect(allows(['default', '/v1/rerank'], 'POST /v1/rerank')).toBe(true);
});

test('without patterns everything is allowed', () => {
  expect(isAllowedPath(null, 'DELETE', '/v1/files/file-1', null)).toBe(true);
});

test.each(['', 'v1/files', '/v1/*/files', 'post /v1/files', 'POST  /v1', '/v1/files?x=1', '/v1 /x', '*', 'GET *'])(
  'the pattern %j is invalid',
  (text) => {
    expect(parsePathPattern(text)).toBeNull();
  },
);
