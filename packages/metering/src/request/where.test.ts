import { inPath, operations, wrapCall } from '@agp/testing/corpus';
import { expect, test } from 'vitest';
import { makeHead, providers } from '../../test/open-metering.ts';
import { readAll, type Sent } from '../../test/read-names.ts';
import type { CallProvider } from '../call-head.ts';
import { readAsked } from './read-asked.ts';

interface Asked extends Sent {
  method?: string;
  url?: string;
  geo?: CallProvider['geo'];
}

/** Where a call goes and what keeps it, as rules read it. @param body undefined for none */
function ask(id: string, path: string, body: unknown, { method = 'POST', url, geo = null, ...sent }: Asked = {}) {
  const own = providers[id] as CallProvider;
  const provider = { ...own, geo, baseUrl: url === undefined ? own.baseUrl : new URL(url) };
  const head = makeHead(id, path, { method, provider, hasBody: body !== undefined });
  const names = head.operation && body !== undefined ? readAll(id, path, body, { ...sent, method, provider }) : null;
  const asked = readAsked({ ...head, contentLength: null, isPacked: false }, null, names);
  return { geo: asked.geo, placed: asked.placed, stores: asked.stores };
}

const unsaid = '"store", which is true unless it is said';

/** What keeps the plainest call of each operation; all others keep nothing. */
const kept: Record<string, string | null | undefined> = {
  'chat.completions': null,
  'async.chat.completions': 'an answer that is fetched later',
  responses: unsaid,
  batches: 'a batch',
  'messages.batches': 'a batch',
  batchGenerateContent: 'a batch',
  asyncBatchEmbedContent: 'a batch',
  batchPredictionJobs: 'a batch',
  videos: 'a video',
  predictLongRunning: 'a video',
  'cachedContents.create': 'a cache',
  'cachedContents.update': 'a cache',
  generateContent: null,
  streamGenerateContent: null,
  interactions: unsaid,
  unknown: '/fine_tuning',
};

/** The same, at addresses that are known to keep nothing unless they are told to. */
const [vertex, azure] = ['https://europe-west4-aiplatform.googleapis.com', 'https://mine.openai.azure.com'];

test.each(operations.map((row) => [`${row.method} ${row.path}`, row] as const))(
  '%s keeps what its API keeps',
  (_, row) => {
    const { provider, method, name, model } = row;
    const path = row.path.replace(inPath, 'a');
    const isSent = method !== 'GET' && !path.endsWith('/cancel');
    const body = isSent ? wrapCall(row, model === 'body' ? { model: 'a' } : {}) : undefined;
    // AWS keeps no chat.
    const isAws = provider === 'bedrock' && name === 'chat.completions';
    const expected = isSent && !isAws && Object.hasOwn(kept, name) ? kept[name] : false;
    expect(ask(provider, path, body, { method }).stores).toBe(expected);
    if (expected === null) {
      const url = provider === 'openai' ? azure : vertex;
      expect(ask(provider, path, body, { method, url }).stores).toBe(false);
    }
  },
);

const chat = '/v1/chat/completions';
const responses = '/v1/responses';
const messages = '/v1/messages';
const content = '/v1beta/models/a:generateContent';
const interactions = '/v1beta/interactions';

test.each<[string, string, unknown, string | false | null]>([
  ['openai', chat, { store: false }, false],
  ['openai', chat, { store: true }, '"store": true'],
  ['openai', chat, { store: null }, null],
  ['openai', chat, { store: 'false' }, null],
  ['openai', chat, { Store: false }, null],
  ['openai', chat, { store: false, Store: true }, null],
  ['openai', chat, { store: false, extra_body: { store: true } }, null],
  ['openai', chat, '{"model":"a","store":true,"store":false}', null],
  ['openai', chat, '{"model":"a","store":true,"st\\u006fre":false}', null],
  ['openai', chat, { store: false, keep_for: '30d' }, null],
  ['openai', chat, { store: false, audio: { voice: 'alloy' } }, 'the member "audio"'],
  ['xai', chat, { store: false, deferred: true }, 'the member "deferred"'],
  ['mistral', chat, {}, false],
  ['own', chat, {}, null],
  ['openai', responses, { store: false }, false],
  ['openai', responses, { store: false, background: false }, false],
  ['openai', responses, { store: false, background: true }, 'the member "background"'],
  ['openai', responses, { store: false, Background: true }, 'the member "background"'],
  ['openai', responses, { store: false, conversation: 'conv_1' }, 'the member "conversation"'],
  ['openai', responses, { store: false, previous_response_id: 'r' }, 'the member "previous_response_id"'],
  ['openai', responses, { store: false, tools: [{ type: 'code_interpreter' }] }, 'the tool "code_interpreter"'],
  ['openai', responses, { store: false, tools: [{ type: 'shell', environment: { type: 'local' } }] }, false],
  ['openai', responses, { store: false, tools: [{ type: 'shell', environment: { type: 'c' } }] }, 'the tool "shell"'],
  ['openai', responses, { store: false, tools: [{ type: 'function', name: 'shell' }] }, false],
  ['openai', responses, { store: false, input: [{ type: 'item_reference', id: 'x_1' }] }, null],
  ['openai', '/v1/embeddings', { store: true }, '"store": true'],
  ['anthropic', messages, { container: 'c_1' }, 'the member "container"'],
  ['anthropic', messages, { thread: { type: 'create' } }, 'the member "thread"'],
  ['anthropic', messages, { tools: [{ type: 'code_execution_20250825', name: 'c' }] }, 'the tool "code_execution"'],
  ['gemini', content, { store: false }, false],
  ['gemini', content, { store: false, cachedContent: 'cachedContents/c' }, 'the member "cached_content"'],
  ['gemini', content, { store: false, cached_content: 'cachedContents/c' }, 'the member "cached_content"'],
  ['gemini', content, { store: false, tools: [{ googleSearch: {} }] }, 'the tool "google_search"'],
  ['gemini', content, { store: false, tools: [{ google_maps: {} }] }, 'the tool "google_maps"'],
  ['gemini', content, { store: false, tools: [{ functionDeclarations: [{ name: 'google_search' }] }] }, false],
  ['gemini', interactions, { store: false }, false],
  ['gemini', interactions, { store: false, background: true }, 'the member "background"'],
  ['gemini', interactions, { store: false, tools: [{ type: 'google_search' }] }, 'the tool "google_search"'],
])('at %s, %s with %j: %j', (id, path, members, expected) => {
  const body = typeof members === 'string' || id === 'gemini' ? members : { model: 'a', ...(members as object) };
  expect(ask(id, path, body).stores).toBe(expected);
});

test.each<[string, string, string | undefined]>([
  ['openai', '/v1/files', '/files'],
  ['openai', '/v1/threads/t/messages', '/threads'],
  ['anthropic', '/v1/Files', '/files'],
  ['gemini', '/upload/v1beta/files', '/files'],
  ['gemini', '/v1beta/fileSearchStores/s:importFile', '/filesearchstores'],
  ['openai', '/v1/new', undefined],
  ['openai', '/v1/newfiles', undefined],
])('at %s, %s keeps what it is sent, if that is known: %s', (id, path, expected) => {
  expect(ask(id, path, 'x').stores).toBe(expected);
  expect(ask(id, path, undefined).stores).toBe(false);
});

test('a form says nothing of what is kept, and is read', () => {
  const [body, contentType] = [
    '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\na\r\n--b--\r\n',
    'multipart/form-data; boundary=b',
  ];
  expect(ask('openai', '/v1/audio/transcriptions', body, { contentType }).stores).toBe(false);
});

const runtime = (region: string) => `https://bedrock-runtime.${region}.amazonaws.com`;
const app = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc';
const inherited = 'arn:aws:bedrock:eu-west-2:123456789012:inference-profile/eu.anthropic.claude-x-v1:0';

test.each<[string, string, string | null]>([
  ['anthropic.claude-x-v1:0', runtime('eu-central-1'), 'eu'],
  ['anthropic.claude-x-v1:0', runtime('eu-west-2'), 'uk'],
  ['anthropic.claude-x-v1:0', 'https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us'],
  ['anthropic.claude-x-v1:0', runtime('xx-new-1'), null],
  ['anthropic.claude-x-v1:0', 'http://10.0.0.1', null],
  ['eu.anthropic.claude-x-v1:0', runtime('eu-central-1'), 'eu'],
  ['eu.anthropic.claude-x-v1:0', runtime('eu-west-2'), null],
  ['us.amazon.nova-pro-v1:0', runtime('us-east-1'), 'us'],
  ['global.anthropic.claude-x-v1:0', runtime('eu-central-1'), null],
  ['apac.anthropic.claude-x-v1:0', runtime('ap-southeast-1'), null],
  [inherited, runtime('eu-west-1'), 'eu'],
  [app, runtime('eu-central-1'), null],
  ['arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-x-v1:0', runtime('eu-central-1'), 'eu'],
])('%s at %s is processed in %s', (model, url, geo) => {
  const path = `/model/${encodeURIComponent(model)}/converse`;
  expect(ask('bedrock', path, { messages: [] }, { url }).geo).toBe(geo);
  const message = { model, max_tokens: 9, messages: [] };
  expect(ask('bedrock', '/anthropic/v1/messages', message, { url }).geo).toBe(geo);
});

const vertexPath = (place: string, model = 'a') =>
  `/v1/projects/p/locations/${place}/publishers/google/models/${model}:generateContent`;
const hostOf = (place: string) => `https://${place}-aiplatform.googleapis.com`;

test.each<[url: string, path: string, string | null]>([
  ['https://eu.api.openai.com', chat, 'eu'],
  ['https://EU.api.openai.com', chat, 'eu'],
  ['https://eu.api.openai.com.', chat, 'eu'],
  ['https://eu.api.openai.com:8443/v1', '/chat/completions', 'eu'],
  ['https://jp.api.openai.com', chat, 'jp'],
  // These store there, and process anywhere.
  ['https://gb.api.openai.com', chat, null],
  ['https://api.openai.com', chat, null],
  ['https://eu.api.openai.com.example.net', chat, null],
  ['https://gateway.example/eu.api.openai.com', chat, null],
  ['https://mine-swedencentral.openai.azure.com', '/openai/deployments/a/chat/completions', null],
])('OpenAI’s format at %s%s is processed in %s', (url, path, geo) => {
  expect(ask('openai', path, { model: 'a' }, { url }).geo).toBe(geo);
});

test.each<[url: string, path: string, string | null]>([
  [hostOf('europe-west4'), vertexPath('europe-west4'), 'eu'],
  [
    `${hostOf('europe-west4')}/v1/projects/p/locations/europe-west4`,
    '/publishers/google/models/a:generateContent',
    'eu',
  ],
  [hostOf('europe-west2'), vertexPath('europe-west2'), 'uk'],
  [hostOf('europe-west6'), vertexPath('europe-west6'), 'ch'],
  [hostOf('us-central1'), vertexPath('us-central1'), 'us'],
  ['https://aiplatform.eu.rep.googleapis.com', vertexPath('eu'), 'eu'],
  [hostOf('europe-west4'), vertexPath('us-central1'), null],
  [hostOf('europe-west4'), vertexPath('global'), null],
  [hostOf('europe-west4'), content, null],
  [hostOf('us-central1'), vertexPath('us-central1', 'x%2Flocations%2Feurope-west4'), 'us'],
  [
    hostOf('europe-west4'),
    `/v1/projects/x%2Flocations%2Feurope-west4/locations/us-central1/publishers/google/models/a:predict`,
    null,
  ],
  ['https://aiplatform.googleapis.com', vertexPath('europe-west4'), null],
  ['https://aiplatform.googleapis.com', vertexPath('global'), null],
  // Google does not say where models run there, and where that region would be.
  [hostOf('me-west1'), vertexPath('me-west1'), null],
  [hostOf('europe-west99'), vertexPath('europe-west99'), null],
])('Vertex AI at %s%s is processed in %s, whatever its operator says', (url, path, geo) => {
  expect(ask('gemini', path, {}, { url, geo: 'ch' }).geo).toBe(geo);
});

test.each<[unknown, vouched: CallProvider['geo'], string | null]>([
  [{}, null, null],
  [{}, 'eu', 'eu'],
  [{ inference_geo: 'us' }, null, 'us'],
  [{ inference_geo: 'us' }, 'eu', 'us'],
  [{ inference_geo: 'eu' }, null, 'eu'],
  [{ inference_geo: null }, 'eu', 'eu'],
  [{ inference_geo: 'global' }, 'eu', null],
  [{ inference_geo: 'EU' }, 'eu', null],
  [{ inference_geo: ['eu'] }, 'eu', null],
  [{ inferenceGeo: 'us' }, 'eu', null],
  [{ inference_geo: 'eu', inferenceGeo: 'us' }, 'eu', null],
  ['{"model":"a","inference_geo":"us","inference_geo":"eu"}', 'eu', null],
  [{ inference_geo: 'eu', region: 'us' }, 'eu', null],
  [{ inference_geo: 'eu', fallbacks: [{ model: 'b' }] }, null, 'eu'],
  [{ inference_geo: 'eu', fallbacks: [{ model: 'b', inference_geo: 'us' }] }, 'eu', null],
  [{ fallbacks: [{ model: 'b', inference_geo: 'us' }] }, 'eu', null],
  [{ inference_geo: 'eu', fallbacks: Array(101).fill({}) }, 'eu', null],
  [{ inference_geo: 'eu', extra_body: { inference_geo: 'us' } }, 'eu', null],
])('Anthropic’s %j, vouched for as %s, is processed in %s', (members, geo, expected) => {
  const body = typeof members === 'string' ? members : { model: 'a', ...(members as object) };
  expect(ask('anthropic', messages, body, { geo }).geo).toBe(expected);
});

test('all calls of a batch must ask for the same place', () => {
  const batch = (...places: object[]) => ({
    requests: places.map((place, at) => ({ custom_id: `${at}`, params: { model: 'a', ...place } })),
  });
  const read = (...places: object[]) => ask('anthropic', '/v1/messages/batches', batch(...places), { geo: 'eu' }).geo;
  expect(read({ inference_geo: 'us' }, { inference_geo: 'us' })).toBe('us');
  expect(read({ inference_geo: 'us' }, { inference_geo: 'eu' })).toBe(null);
  expect(read({}, {})).toBe('eu');
  expect(read({ inference_geo: 'eu' }, {})).toBe(null);
});

test('an operator is believed of what no body can change, and not of what it may', () => {
  const other = { contentEncoding: 'lzma', geo: 'eu' as const };
  expect(ask('openai', chat, { model: 'a' }, other).geo).toBe('eu');
  expect(ask('openai', '/v1/new', 'x', other).geo).toBe('eu');
  expect(ask('anthropic', messages, { model: 'a' }, other).geo).toBe(null);
  expect(ask('anthropic', '/v1/new', 'x', other).geo).toBe(undefined);
  expect(ask('anthropic', '/v1/new', undefined, other).geo).toBe('eu');
});

test.each([
  ['anthropic.claude-x-v1:0', runtime('us-east-1'), 'its address'],
  [
    'global.anthropic.claude-x-v1:0',
    runtime('eu-west-1'),
    'global.anthropic.claude-x-v1:0, called in eu, may run elsewhere',
  ],
  ['eu.anthropic.claude-x-v1:0', 'http://10.0.0.1', 'its address does not say'],
])('%s at %s is said to be placed by %s', (model, url, why) => {
  expect(ask('bedrock', `/model/${model}/converse`, { messages: [] }, { url }).placed).toBe(why);
});

test('of a model that cannot be read no address says where it is', () => {
  const path = '/model/anthropic.claude-x-v1:0/converse';
  const { geo, placed } = ask('bedrock', path, '{"messages":[],"messages":[]}', { url: runtime('us-east-1') });
  expect([geo, placed]).toEqual([null, undefined]);
});

test.each([
  [{ inference_geo: 'us' }, null, 'what it asks for'],
  [{ inference_geo: 'global' }, null, 'what it asks for does not say'],
  [{}, 'eu', 'geo of the provider'],
] as const)('Anthropic’s %j, vouched for as %s, is said to be placed by %s', (members, geo, why) => {
  expect(ask('anthropic', '/v1/messages', { model: 'm', messages: [], ...members }, { geo }).placed).toBe(why);
});
