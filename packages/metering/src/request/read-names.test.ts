import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readAll, readNames, type Sent } from '../../test/read-names.ts';

const [chat, responses] = ['/v1/chat/completions', '/v1/responses'];

test.each<[unknown, string[] | null, Sent]>([
  [{ model: 'a' }, ['a', 'b'], { query: '?model=b' }],
  [{ model: 'a' }, ['a', 'b'], { query: '?x=1;Model=b' }],
  [Buffer.from('{"model":"a"}', 'utf16le'), null, {}],
  [Buffer.from('{"model":"a","x":"\xff"}', 'latin1'), null, {}],
  ['{"model":"a"}', null, { contentType: 'application/json; charset=utf-7' }],
  ['{"model":"a"}', null, { contentType: 'application/x-www-form-urlencoded' }],
  ['{"model":"a"}', null, { contentType: 'application/json, multipart/form-data; boundary=b' }],
  ['{"model":"a"}', ['a'], { contentType: 'application/json; charset="UTF-8"' }],
  ['{"model":"a"}', ['a'], { contentType: 'text/plain;charset=UTF-8' }],
  ['{"model":"a"}', null, { contentEncoding: 'lzma' }],
  [gzipSync('{"model":"a"}'), ['a'], { contentEncoding: 'gzip', decoded: Buffer.from('{"model":"a"}') }],
])('%j names the models %j, sent with %j', (body, expected, sent) => {
  expect(readNames('openai', chat, body, sent).models).toEqual(expected);
});

test('more models than any request has are not read', () => {
  const models = Array.from({ length: 101 }, (_, at) => `m${at}`);
  const refused = { code: 'malformed_request', message: 'the request names 102 models, at most 100 are taken' };
  for (const named of [{ models }, { fallbacks: models }, { plugins: [{ id: 'x', models }] }])
    expect(() => readNames('openai', chat, { model: 'a', ...named })).toThrow(expect.objectContaining(refused));
});

test('a request or a tool with more members than any has is not read', () => {
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x']));
  const tool = (count: number) => ({ model: 'a', tools: [{ ...members(count), type: 'function', name: 't' }] });
  expect(readNames('openai', responses, tool(998)).tools).toHaveLength(1);
  expect(readNames('openai', responses, tool(999)).tools).toBe(null);
});

test.each([
  [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
  [{ input: [{ type: 'item_reference', id: 'x_1' }] }, 'input'],
  [{ prompt: { id: 'pmpt_1' }, model: 'a' }, 'prompt'],
])('tools that %j may bring are unread by its name', (body, member) => {
  expect(readAll('openai', responses, { model: 'a', ...body })).toMatchObject({
    tools: null,
    unread: `what the member "${member}" refers to`,
  });
});

test('a stored prompt may name another model than the query', () => {
  const body = { prompt: { id: 'pmpt_1' } };
  expect(readNames('openai', responses, body, { query: '?model=b' }).models).toBe(null);
});

test('a body is read if it is large, and not if it has too many values or levels', () => {
  const readModels = (x: string) => readNames('openai', chat, `{"model":"a","vouched":${x}}`).models;
  expect(readModels(`"${'y'.repeat(5_000_000)}"`)).toEqual(['a']);
  expect(readModels(`[${'1,'.repeat(600_000)}1]`)).toBe(null);
  expect(readModels(`${'['.repeat(600)}${']'.repeat(600)}`)).toBe(null);
  const nested = `${'['.repeat(500)}${']'.repeat(500)}`;
  expect(readModels(`[${Array(1_000).fill(nested).join()}]`)).toBe(null);
  expect(readModels(`[${Array(100).fill(nested).join()}]`)).toEqual(['a']);
});

const part = (head: string, value: string) => `--b\r\n${head}\r\n\r\n${value}\r\n`;
const field = (name: string, rest = '') => `Content-Disposition: form-data; name=${name}${rest}`;

test.each<[string, string[] | null]>([
  [part(field('"model"'), 'a'), ['a']],
  [part(`Content-Type: text/plain; charset=utf-8\r\n${field('model')}`, 'a'), ['a']],
  [part(field('"model"'), 'a') + part(field('"file"', '; filename="model.mp3"'), 'x'), ['a']],
  [part(field('"model"'), 'a') + part(field('"file"', '; filename="a.mp3"; filename*=utf-8\'\'m'), 'x'), null],
  [part(field('"model"'), 'a') + part(field('"x"', "; name*=utf-8''model"), 'b'), null],
  [part(field('"model"'), 'a') + part(field('"x"', '; name*0=mod; name*1=el'), 'b'), null],
  [part(field('"model"'), 'a') + part(`${field('"prompt"')}\r\n${field('"model"')}`, 'b'), null],
  [part(field('"model"'), 'a').replace('--b', '--b '), null],
  [part(field('"model"'), 'a') + part(field('"agent"'), 'b'), null],
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

test('tools nested without end, or too many, are not read', () => {
  const nest = (depth: number): object =>
    depth === 0 ? { type: 'function', name: 'f' } : { type: 'namespace', name: 'n', tools: [nest(depth - 1)] };
  expect(readNames('openai', responses, { tools: [nest(4)] }).tools).toEqual(['client n.n.n.n.f,f']);
  expect(readNames('openai', responses, { tools: [nest(100)] }).tools).toBe(null);
  expect(readNames('openai', chat, { tools: Array.from({ length: 5_001 }, () => ({ name: 'f' })) }).tools).toBe(null);
});
