import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readNames, type Sent } from '../../test/read-names.ts';

const [chat, responses, messages] = ['/v1/chat/completions', '/v1/responses', '/v1/messages'];
const interactions = '/v1beta/interactions';
const vertex = '/v1/projects/p/locations/l';
const google = `${vertex}/publishers/google/models/g:generateContent`;
const jobs = '/v1beta/models/g:batchGenerateContent';
const added = (tool: object) => ({ model: 'm', messages: [{ content: [{ type: 'tool_addition', tool }] }] });

test.each<[string, string, unknown, string[] | null, Sent?]>([
  ['openai', chat, { model: 'gpt-5' }, ['gpt-5']],
  ['openrouter', chat, { model: 'a/b', models: ['c/d', 'a/b'] }, ['a/b', 'c/d']],
  ['openrouter', chat, { models: ['c/d'] }, ['c/d']],
  ['openrouter', chat, { model: 'a', models: 'c/d' }, null],
  ['openrouter', chat, { model: 'a', preset: 'mine' }, null],
  ['openrouter', chat, { model: 'a@preset/mine' }, null],
  ['openrouter', chat, { model: 'a', plugins: [{ id: 'fusion', analysis_models: ['b', 'c'] }] }, ['a', 'b', 'c']],
  ['openai', chat, { model: 'a' }, ['a', 'b'], { query: '?model=b' }],
  ['openai', chat, { model: 'a' }, ['a', 'b'], { query: '?x=1;Model=b' }],
  ['openai', responses, { prompt: { id: 'pmpt_1' } }, null, { query: '?model=b' }],
  ['openai', responses, { prompt: { id: 'pmpt_1' }, tools: [{ type: 'image_generation', model: 'b' }] }, null],
  [
    'openai',
    responses,
    { model: 'a', tools: [{ type: 'image_generation', model: 'b', svg: { model: 'c' } }] },
    ['a', 'b', 'c'],
  ],
  [
    'openai',
    responses,
    { model: 'a', input: [{ type: 'additional_tools', tools: [{ type: 'x', model: 'b' }] }] },
    ['a', 'b'],
  ],
  ['openai', responses, { model: 'a', tools: [{ type: 'function', name: 'f', parameters: { model: 'b' } }] }, ['a']],
  ['azure', '/openai/deployments/d1/chat/completions', { model: 'a' }, ['a', 'd1']],
  ['azure', '/openai/DEPLOYMENTS/d1/chat/completions', { model: 'a' }, ['a', 'd1']],
  ['azure', '/openai/deployments/d1/chat/completions', {}, ['d1']],
  ['openai', chat, '{"model":"a","model":"b"}', null],
  ['openai', chat, '{"model":"a","m\\u006fdel":"b"}', null],
  ['openai', chat, '{"model":"a","Model":"b"}', null],
  ['openai', chat, '{"model":"a","\\u017ftream":true,"mode\\u006c":"a"}', null],
  ['openai', chat, '\ufeff{"model":"a"}', null],
  ['openai', chat, Buffer.from('{"model":"a"}', 'utf16le'), null],
  ['openai', chat, Buffer.from('{"model":"a","x":"\xff"}', 'latin1'), null],
  ['openai', chat, '{"model":"a"}{"model":"b"}', null],
  ['openai', chat, '[{"model":"a"}]', null],
  ['openai', chat, { model: 'a ' }, null],
  ['openai', chat, { model: 'gpt-5\u0000' }, null],
  ['openai', chat, { model: 'gрt-5' }, null],
  ['openai', chat, { model: ['a'] }, null],
  ['openai', chat, { model: 'models/gemini-2.5-pro' }, ['gemini-2.5-pro']],
  ['openai', chat, '{"model":"a"}', null, { contentType: 'application/json; charset=utf-7' }],
  ['openai', chat, '{"model":"a"}', null, { contentType: 'application/x-www-form-urlencoded' }],
  ['openai', chat, '{"model":"a"}', null, { contentType: 'application/json, multipart/form-data; boundary=b' }],
  ['openai', chat, '{"model":"a"}', ['a'], { contentType: 'application/json; charset="UTF-8"' }],
  ['openai', chat, '{"model":"a"}', ['a'], { contentType: 'text/plain;charset=UTF-8' }],
  ['openai', chat, '{"model":"a"}', null, { contentEncoding: 'lzma' }],
  [
    'openai',
    chat,
    gzipSync('{"model":"a"}'),
    ['a'],
    { contentEncoding: 'gzip', decoded: Buffer.from('{"model":"a"}') },
  ],
  ['openai', '/v1/batches', { input_file_id: 'file-1', endpoint: chat }, null],
  ['perplexity', '/async/chat/completions', { request: { model: 'sonar' } }, ['sonar']],
  ['anthropic', messages, { model: 'a', fallbacks: [{ model: 'b' }] }, ['a', 'b']],
  ['anthropic', messages, { model: 'a', fallbacks: 'default' }, null],
  ['anthropic', messages, { model: 'a', fallbacks: [{}] }, null],
  [
    'anthropic',
    messages,
    { model: 'a', tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'b' }] },
    ['a', 'b'],
  ],
  [
    'anthropic',
    messages,
    added({ type: 'tool_definition', definition: { type: 'advisor_20260301', model: 'b' } }),
    ['m', 'b'],
  ],
  [
    'anthropic',
    '/v1/messages/batches',
    { requests: [{ params: { model: 'a' } }, { params: { model: 'b' } }] },
    ['a', 'b'],
  ],
  ['anthropic', '/v1/messages/batches', { requests: [{ params: { model: 'a' } }, { Params: { model: 'b' } }] }, null],
  ['anthropic', '/v1/messages', { model: 'a', models: ['b'] }, ['a', 'b']],
  ['anthropic', '/v1/messages', { models: ['b'] }, ['b']],
  ['anthropic', '/v1/messages', { model: 'a', models: 'b' }, null],
  ['gemini', '/v1beta/models/g:generateContent', { models: ['b'] }, ['g', 'b']],
  ['openai', chat, { model: 'a', models: Array.from({ length: 1_001 }, (_, at) => `m${at}`) }, null],
  ['anthropic', `${vertex}/publishers/anthropic/models/claude-x@1:rawPredict`, {}, ['claude-x@1']],
  ['gemini', '/v1beta/models/gemini-2.5-pro:generateContent', {}, ['gemini-2.5-pro']],
  ['gemini', google, { generationConfig: { routingConfig: { autoMode: {} } } }, null],
  ['gemini', google, { generation_config: { routing_config: { manual_mode: { model_name: 'b' } } } }, ['g', 'b']],
  [
    'gemini',
    '/v1beta/models/e:batchEmbedContents',
    { requests: [{ model: 'models/e' }, { model: 'models/f' }] },
    ['e', 'f'],
  ],
  ['gemini', jobs, { batch: { inputConfig: { fileName: 'files/1' } } }, null],
  [
    'gemini',
    jobs,
    { batch: { input_config: { requests: { requests: [{ request: { model: 'models/h' } }] } } } },
    ['g', 'h'],
  ],
  ['gemini', '/v1beta/cachedContents', { model: 'models/g' }, ['g']],
  ['gemini', `${vertex}/cachedContents`, { model: 'projects/p/locations/l/publishers/google/models/g' }, ['g']],
  ['gemini', `${vertex}/batchPredictionJobs`, { model: 'publishers/google/models/g' }, null],
  ['gemini', interactions, { model: 'g', agent: 'deep' }, ['g', 'deep']],
  [
    'gemini',
    interactions,
    { agent: 'antigravity', agent_config: { type: 'antigravity', model: 'b' } },
    ['antigravity', 'b'],
  ],
])('%s %s %j names the models %j', (id, path, body, expected, sent) => {
  expect(readNames(id, path, body, sent).models).toEqual(expected);
});

test('a body is read if it is large, and not if it has too many values or levels', () => {
  const readModels = (x: string) => readNames('openai', chat, `{"model":"a","x":${x}}`).models;
  expect(readModels(`"${'y'.repeat(5_000_000)}"`)).toEqual(['a']);
  expect(readModels(`[${'1,'.repeat(600_000)}1]`)).toBe(null);
  expect(readModels(`${'['.repeat(600)}${']'.repeat(600)}`)).toBe(null);
});

const part = (head: string, value: string) => `--b\r\n${head}\r\n\r\n${value}\r\n`;
const field = (name: string, rest = '') => `Content-Disposition: form-data; name=${name}${rest}`;

test.each<[string, string[] | null]>([
  [part(field('"model"'), 'a'), ['a']],
  [part(`Content-Type: text/plain; charset=utf-8\r\n${field('model')}`, 'a'), ['a']],
  [part(field('"model"'), 'a') + part(field('"file"', '; filename="model.mp3"; filename*=utf-8\'\'m'), 'x'), ['a']],
  [part(field('"model"'), 'a') + part(field('"model"'), 'b'), null],
  [part(field('"model"'), 'a') + part(field('"model"', '; filename=""'), 'b'), null],
  [part(field('"x"', '; name="model"'), 'b') + part(field('"model"'), 'a'), null],
  [part(field('"model"'), 'a') + part(`${field('"x"')}\r\n ; name="model"`, 'b'), null],
  [part(field('"model"'), 'a') + part(field('"mode%6c"'), 'b'), null],
  [part(`${field('"model"')}\r\nContent-Transfer-Encoding: quoted-printable`, 'a=62'), null],
  [part(`${field('"model"')}\r\nContent-Type: text/plain; charset=utf-7`, 'a'), null],
  [`{"model":"b"}\r\n${part(field('"model"'), 'a')}`, null],
])('the form %j names %j', (parts, expected) => {
  const contentType = 'multipart/form-data; boundary=b';
  expect(readNames('openai', '/v1/audio/transcriptions', `${parts}--b--\r\n`, { contentType }).models).toEqual(
    expected,
  );
  const twofold = { contentType: 'multipart/form-data; boundary=b; boundary=c' };
  expect(readNames('openai', '/v1/audio/transcriptions', `${parts}--b--\r\n`, twofold).models).toBe(null);
});
