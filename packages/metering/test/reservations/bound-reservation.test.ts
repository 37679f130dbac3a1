import { gzipSync } from 'node:zlib';
import { ApiError } from '@agp/core/errors';
import { describe, expect, test } from 'vitest';
import { makeReserve, type ReservedRequest } from './make-reserve.ts';

const reserve = makeReserve('strict');
const reserveAvailable = makeReserve('available');
const chat = '/v1/chat/completions';
const question = { model: 'gpt-4o-mini', max_tokens: 7, messages: [{ role: 'user', content: 'Well?' }] };
const text = JSON.stringify(question);
// gpt-4o-mini costs 0.15 USD per million of input, 0.6 of output; what a provider may put before a request is 1,024 tokens.
const most = (inputTokens: number, outputTokens: number) => inputTokens * 150 + outputTokens * 600;
const framing = 1_024;

const utf16 = (given: string, isBig = false) => {
  const bytes = Buffer.from(given, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};
const form = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\ngpt-image-1\r\n--b--\r\n';
const formType = 'multipart/form-data; boundary=b';

describe('bodies that servers may read in different ways are refused', () => {
  const refused: [string, Partial<ReservedRequest>, RegExp][] = [
    ['a gzip body', { body: gzipSync(text), contentEncoding: 'gzip' }, /content-encoding must be left out/],
    ['gzip in two layers', { contentEncoding: 'identity, gzip' }, /content-encoding/],
    ['a mark of byte order', { body: `\ufeff${text}` }, /not JSON/],
    ['UTF-16', { body: utf16(text) }, /not JSON/],
    ['UTF-16, the other way round, with a mark', { body: utf16(`\ufeff${text}`, true) }, /not (?:JSON|UTF-8)/],
    [
      'bytes that are no UTF-8',
      { body: Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff]), Buffer.from('"}')]) },
      /not UTF-8/,
    ],
    ['a NUL behind it', { body: `${text}\0` }, /not JSON/],
    ['a second object behind it', { body: `${text}{"max_tokens":100000}` }, /not JSON/],
    [
      'what only Python takes for JSON',
      { body: '{"model":"gpt-4o-mini","temperature":NaN,"max_tokens":7}' },
      /not JSON/,
    ],
    ['a list', { body: '[]' }, /not JSON/],
    ['nothing', { body: '' }, /is missing|not JSON/],
    ['another type', { contentType: 'application/x-www-form-urlencoded' }, /content-type/],
    ['no type', { contentType: '' }, /content-type/],
    ['another character set', { contentType: 'application/json; charset=utf-7' }, /content-type/],
    ['a form where JSON is asked for', { body: form, contentType: formType }, /content-type/],
    ['a form of pictures', { path: '/v1/images/edits', body: form, contentType: formType }, /content-type/],
    ['a bound in the query', { query: '?max_tokens=100000' }, /max_tokens may not stand in the query/],
    ['a model in the query', { query: '?Model=gpt-4o' }, /Model may not stand in the query/],
    ['a header that chooses', { headers: { 'X-Portkey-Config': 'c' } }, /X-Portkey-Config may choose another model/],
    ['an agent before the path', { path: '/v1/agents/completions' }, /the path may name another model/],
    ['a key twice, deep within', { body: text.replace('"role"', '"role":"x","role"') }, /a member is given twice/],
    [
      'more members than are looked at',
      { body: `{"model":"gpt-4o-mini",${'"x":1,'.repeat(10_500)}"n":100}` },
      /not JSON/,
    ],
  ];
  test.each(refused)('%s', (_what, request, reason) => {
    const whole = { path: chat, body: text, ...request };
    expect(() => reserve(whole)).toThrow(reason);
    expect(() => reserve(whole)).toThrow(expect.objectContaining({ code: 'cost_not_bounded', status: 400 }));
    // Where no cap holds it may pass, and where caps are kept less strictly it is never free.
    expect(reserve({ ...whole, isCapped: false })).toBeGreaterThan(0);
    expect(reserveAvailable(whole)).toBeGreaterThan(0);
  });

  test('a path that is not known, with or without a body; looking at something is free', () => {
    for (const body of [{}, '']) {
      expect(() => reserve({ path: '/v1/new', method: 'POST', body })).toThrow(/the path is of no model call/);
    }
    expect(() => reserve({ path: '/v1/new', method: 'GET', body: {} })).toThrow(/the path is of no model call/);
    for (const method of ['GET', 'HEAD', 'DELETE']) expect(reserve({ path: '/v1/new', method, body: null })).toBe(0);
  });

  test('refusals show no control characters, and no key of unbounded length', () => {
    const body = JSON.stringify({ ...question, [`\u001b[31m${'x'.repeat(1_000)}`]: 1 });
    const refuse = () => reserve({ path: chat, body });
    expect(refuse).toThrow(/^the cost cannot be bounded: \?\[31mx{59} is not known/);
    expect(refuse).toThrow(ApiError);
  });
});

describe('readable bodies reserve the most that they may cost', () => {
  test('a token for each byte, and what providers put before it', () => {
    expect(reserve({ path: chat, body: question })).toBe(most(text.length + framing, 7));
    expect(reserve({ path: chat, body: question, contentType: 'application/json; charset=UTF-8' })).toBeGreaterThan(0);
    expect(reserve({ path: chat, body: question, contentEncoding: 'identity' })).toBeGreaterThan(0);
  });

  test('more than its bytes, where one sign is many letters to a tokenizer', () => {
    const spell = (sign: string) => text.replace('Well?', sign);
    // One sign of three bytes, which is a greeting of eighteen letters of two bytes each, with spaces between.
    const written = reserve({ path: chat, body: spell('\ufdfa') });
    const escaped = reserve({ path: chat, body: spell('\\ufdfa') });
    expect(written).toBe(most(text.length - 5 + 33 + framing, 7));
    expect(escaped).toBe(written);
  });

  test('the same in a body of many pieces, of which some end within a sign', () => {
    const signs = 50_000;
    const spell = (sign: string) => text.replace('Well?', `.${sign.repeat(signs)}`);
    for (const sign of ['\ufdfa', '\\ufdfa', '\u{1d15e}']) {
      const bytes = Buffer.byteLength(spell(sign).replaceAll('\\ufdfa', '\ufdfa').normalize('NFKD'));
      expect(bytes).toBeGreaterThan(5 * signs);
      const body = spell(sign);
      expect(reserve({ path: chat, body })).toBeGreaterThanOrEqual(most(bytes + framing, 7));
      expect(reserve({ path: chat, body })).toBeLessThan(most(1.01 * bytes + framing, 7));
    }
  });

  test.each(['X-Vertex-AI-LLM-Shared-Request-Type', 'X-Amzn-Bedrock-Service-Tier'])('a tier by %s', (name) => {
    const dear = { prompt: 300, completion: 1_200 };
    const ask = (tier: string, own = reserve) =>
      own({ path: chat, body: question, headers: { [name.toLowerCase()]: tier } });
    for (const tier of ['default', 'Standard', 'flex']) expect(ask(tier)).toBe(most(text.length + framing, 7));
    for (const tier of ['priority', 'PRIORITY']) expect(ask(tier)).toBe((most(text.length + framing, 7) * 5) / 3);
    for (const tier of ['scale', 'flex, priority', '']) {
      expect(() => ask(tier)).toThrow(/the service tier has no known price/);
    }
    const priced = makeReserve('strict', [
      {
        model: 'gpt-4o-mini',
        prices: { input_mtok: 0.15, output_mtok: 0.6 },
        service_tiers: { priority: { input_mtok: 0.3, output_mtok: 1.2 } },
      },
    ]);
    expect(ask('priority', priced)).toBe((text.length + framing) * dear.prompt + 7 * dear.completion);
    expect(() => ask('reserved', priced)).toThrow(/the service tier has no known price/);
  });

  const withPart = (part: object) => ({ ...question, messages: [{ role: 'user', content: [part] }] });
  const largest = most(160_000, 7);
  test.each<[string, object]>([
    ['a picture, wherever it is', { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } }],
    ['a picture that is sent along', { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    ['sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }],
    ['a file by its id', { type: 'file', file: { file_id: 'file-1' } }],
    ['a part that nobody knows', { type: 'hologram' }],
    ['a picture that says to be text', { type: 'text', text: '', image_url: { url: 'https://x.example' } }],
  ])('the largest input of the model for %s', (_what, part) => {
    expect(reserve({ path: chat, body: withPart(part) })).toBe(largest);
  });

  test('text in parts, tools and what they were given are no more than their bytes', () => {
    const body = {
      ...question,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Well?' }], name: 'anna' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: '1', content: 'https://pictures.example/1.png' },
      ],
    };
    expect(reserve({ path: chat, body })).toBe(most(JSON.stringify(body).length + framing, 7));
  });

  test('what the provider keeps is as large as the model reads', () => {
    const path = '/v1/responses';
    const body = { model: 'gpt-4o-mini', max_output_tokens: 7, input: 'Well?' };
    expect(reserve({ path, body })).toBe(most(JSON.stringify(body).length + framing, 7));
    for (const more of [
      { previous_response_id: 'resp_1' },
      { conversation: 'conv_1' },
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
      { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] },
    ]) {
      expect(reserve({ path, body: { ...body, ...more } }), JSON.stringify(more)).toBe(largest);
    }
    const sealed = { ...body, input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }] };
    expect(reserve({ path, body: sealed })).toBeLessThan(largest);
  });

  test('parts of messages and of contents in other formats', () => {
    const cases: [ReservedRequest, boolean][] = [];
    const ask = (content: object) => ({
      model: 'claude-haiku-4-5',
      max_tokens: 7,
      messages: [{ role: 'user', content: [content] }],
    });
    const messages = (content: object) => ({ path: '/v1/messages', api: 'anthropic' as const, body: ask(content) });
    const picture = { type: 'image', source: { type: 'url', url: 'https://x.example' } };
    cases.push([messages({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }), false]);
    cases.push([messages({ type: 'tool_use', id: 't', name: 'f', input: { type: 'image', url: 'x' } }), false]);
    cases.push([messages({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] }), false]);
    cases.push([messages({ type: 'tool_result', tool_use_id: 't', content: [picture] }), true]);
    cases.push([messages(picture), true]);
    cases.push([messages({ type: 'document', source: { type: 'file', file_id: 'f' } }), true]);
    const path = '/v1beta/models/gemini-2.5-flash:generateContent';
    const contents = (part: object) => ({
      path,
      api: 'gemini' as const,
      body: { contents: [{ role: 'user', parts: [part] }] },
    });
    cases.push([contents({ text: 'x' }), false]);
    cases.push([contents({ functionCall: { name: 'f', args: { inlineData: 1 } } }), false]);
    cases.push([contents({ functionResponse: { name: 'f', response: { fileData: 1 } } }), false]);
    cases.push([contents({ functionResponse: { name: 'f', response: {}, parts: [{ inlineData: {} }] } }), true]);
    cases.push([contents({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }), true]);
    cases.push([contents({ fileData: { fileUri: 'https://x.example' } }), true]);
    for (const [request, isLargest] of cases) {
      const reserved = reserve({ ...request, isCapped: true });
      const floor = 150_000 * 1_000;
      expect(reserved > floor + 131_072 * 2_500, JSON.stringify(request.body)).toBe(isLargest);
    }
  });

  test('each picture of several embeddings is an input of its own', () => {
    const path = '/v1beta/models/gemini-embedding-2:batchEmbedContents';
    const request = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] } };
    const one = reserve({ path, api: 'gemini', body: { requests: [request] } });
    const two = reserve({ path, api: 'gemini', body: { requests: [request, request] } });
    expect(two - one).toBeGreaterThan(10_000 * 12_000);
  });

  test('a large body is read whole, where it is not of many small values', () => {
    const long = { ...question, messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] };
    expect(reserve({ path: chat, body: long })).toBe(most(JSON.stringify(long).length + framing, 7));
    const many = { ...question, messages: Array.from({ length: 600_000 }, () => 1) };
    expect(() => reserve({ path: chat, body: many })).toThrow(/too large to be read whole/);
  });

  test('a bound that only some servers know is one for those alone', () => {
    const body = { model: 'gpt-4o-mini', max_completion_tokens: 7, messages: [] };
    expect(reserve({ path: chat, body })).toBeLessThan(most(2_000, 7));
    const other = { model: 'mistral-small-latest', max_completion_tokens: 7, messages: [] };
    const bound = reserve({ path: chat, provider: 'mistral', body: { ...other, max_tokens: 7 } });
    expect(reserve({ path: chat, provider: 'mistral', body: other })).toBeGreaterThan(100 * bound);
  });

  test('the dearest of the models that it names, wherever it names them', () => {
    const cheap = reserve({ path: '/openai/deployments/gpt-4o-mini/chat/completions', body: question });
    const dear = reserve({ path: '/openai/deployments/gpt-4o/chat/completions', body: question });
    expect(dear).toBeGreaterThan(20 * cheap);
    expect(() => reserve({ path: '/openai/deployments/ours/chat/completions', body: question })).toThrow(
      /model has no known price/,
    );
  });
});
