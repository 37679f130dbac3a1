import { matchOperation, type ProviderApi } from '@agp/metering';
import { expect, test } from 'vitest';
import { matchOneOperation } from './match-operation.ts';
import { parseTarget } from './target.ts';

type Row = [ProviderApi, string, string];

const operations: Row[] = [
  ['openai', 'POST', '/v1/chat/completions'],
  ['openai', 'POST', '/v1/completions'],
  ['openai', 'POST', '/v1/responses'],
  ['openai', 'POST', '/v1/embeddings'],
  ['openai', 'POST', '/v1/images/generations'],
  ['openai', 'POST', '/v1/audio/speech'],
  ['anthropic', 'POST', '/v1/messages'],
  ['anthropic', 'GET', '/v1/messages/batches/msgbatch_1/results'],
  ['gemini', 'POST', '/v1beta/models/gemini-2.5-pro:generateContent'],
  ['gemini', 'POST', '/v1beta/models/gemini-2.5-pro:streamGenerateContent'],
  ['gemini', 'POST', '/v1beta/models/gemini-embedding-001:batchEmbedContents'],
  ['gemini', 'POST', '/v1beta/tunedModels/mine:generateContent'],
  ['gemini', 'POST', '/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@1:streamRawPredict'],
  ['gemini', 'POST', '/v1beta/interactions'],
  ['gemini', 'GET', '/v1beta/batches/1'],
];

const hex = (text: string) => text.replace(/./, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
const lastWord = /[A-Za-z]+(?=[^A-Za-z]*$)/;

/** Ways to write a path so that some server reads it as it was before. */
const respellings: Record<string, (path: string) => string> = {
  'a letter encoded': (path) => path.replace(lastWord, hex),
  'a letter encoded twice': (path) => path.replace(lastWord, (word) => hex(word).replace('%', '%25')),
  'a letter encoded three times': (path) => path.replace(lastWord, (word) => hex(word).replace('%', '%2525')),
  'a letter encoded next to an escape that is broken once decoded': (path) =>
    path.replace(lastWord, (word) => hex(word).replace('%', '%25')).concat(';%25zz'),
  'a letter encoded as Microsoft does': (path) =>
    path.replace(lastWord, (word) => hex(word).replace(/%(..)/, '%25u00$1')),
  'another case': (path) => path.replace(lastWord, (word) => word.toUpperCase()),
  'a slash encoded': (path) => path.replace(/\/(?=[^/]*$)/, '%2F'),
  'a slash encoded behind': (path) => `${path}%2f`,
  'another case of its first words': (path) =>
    path.replace(/\/([a-z])(?=[a-z]+\/)/g, (_, letter) => `/${letter.toUpperCase()}`),
  'a format before a slash': (path) => `${path}.json/`,
  'another case, encoded': (path) => path.replace(lastWord, (word) => hex(word.toUpperCase())),
  parameters: (path) => `${path};x`,
  'parameters, encoded': (path) => `${path}%3Bx`,
  'parameters within': (path) => path.replace(/\/(\w+)/, '/$1;x=%2F'),
  'parameters with a slash': (path) => `${path};x/y`,
  'a query, encoded': (path) => `${path}%3Fx`,
  'a query, encoded twice': (path) => `${path}%253Fx`,
  'a space behind': (path) => `${path}%20`,
  'a dot behind': (path) => `${path}.`,
  'a format': (path) => `${path}.json`,
  'a slash behind, encoded': (path) => `${path}/%20/`,
  'a space before': (path) => path.replace(lastWord, '%20$&'),
  'full width': (path) =>
    path.replace(lastWord, (word) =>
      encodeURIComponent(word.replace(/./g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))),
    ),
  'a zero-width space': (path) => path.replace(lastWord, (word) => `${word[0]}%E2%80%8B${word.slice(1)}`),
  'a long s': (path) => path.replace(/s(?=[a-z]*[^A-Za-z]*$)/, '%C5%BF'),
  'an accent': (path) => path.replace(lastWord, (word) => `${word}%CC%81`),
};

/** True if a request is metered as the call that it is, or refused; otherwise it is a call that is not counted. */
function judge(api: ProviderApi, method: string, path: string, written: string): string {
  const expected = matchOperation(api, method, path)?.name;
  try {
    const { path: sent } = parseTarget(`/p${written}`);
    const operation = matchOneOperation(api, method, sent);
    return operation?.name === expected ? 'metered' : `read as ${operation?.name ?? 'nothing'}`;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

test.each(Object.entries(respellings))('a path written with %s is metered or refused', (_name, respell) => {
  for (const [api, method, path] of operations) {
    const written = respell(path);
    expect([written, judge(api, method, path, written)]).toEqual([
      written,
      expect.stringMatching(/^(?:metered|malformed_request)$/),
    ]);
  }
});

test.each<[ProviderApi, string, string, string | null, string]>([
  [
    'gemini',
    '/v1beta/models/gemini-2.5-pro%3AgenerateContent',
    'generateContent',
    'gemini-2.5-pro',
    'an encoded colon',
  ],
  ['gemini', '/v1beta/models%2Fgemini-x:generateContent', 'generateContent', 'gemini-x', 'an encoded resource'],
  [
    'gemini',
    '/v1beta/models/models%2Fgemini-x:generateContent',
    'generateContent',
    'gemini-x',
    'a resource as a model',
  ],
  ['gemini', '/v1beta/models/own%2Fx:generateContent/', 'generateContent', 'own/x', 'a slash in a model'],
  [
    'gemini',
    '/v1/projects/p/locations/l/publishers/anthropic/models/claude-x%401:rawPredict',
    'messages',
    'claude-x@1',
    'Vertex',
  ],
  [
    'openai',
    '/openai/deployments/my%20gpt-5/chat/completions',
    'chat.completions',
    'my gpt-5',
    'a deployment of Azure',
  ],
  ['openai', '/v1/chat/completions/', 'chat.completions', null, 'a slash behind'],
])('%s %s is %s of %s: %s', (api, path, name, model) => {
  const operation = matchOneOperation(api, 'POST', path);
  expect(operation?.name).toBe(name);
  expect(operation?.readRequest({}, path).requestedModel).toBe(model);
});

test('a path that is no operation in any reading passes unchanged', () => {
  for (const path of [
    '/v1/files/file%20one:two@~!$&()*+,=',
    '/v1/threads/thread_1/messages',
    '/v1/vector_stores/vs_1/search',
    '/v1/models/ft%3Agpt-4o%2Fx',
  ])
    expect(matchOneOperation('openai', 'POST', path)).toBeNull();
});

test('a method that some server takes for a POST is metered like one, and one without a body is not', () => {
  for (const method of ['PUT', 'PATCH', 'QUERY'])
    expect(matchOneOperation('openai', method, '/v1/chat/completions')?.name).toBe('chat.completions');
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'])
    expect(matchOneOperation('openai', method, '/v1/chat/completions')).toBeNull();
});
