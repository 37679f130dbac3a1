import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { makeUsage } from '@agp/catalogue';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findOperation } from '../../test/find-operation.ts';
import { openRedactor } from '../../test/redact.ts';
import type { Operation } from '../dialects/operation.ts';
import { openAnswerPipe } from './answer-pipe.ts';
import type { ResponseReading } from './reading.ts';

const chat = findOperation('/v1/chat/completions');
const embeddings = findOperation('/v1/embeddings');
const messages = findOperation('/v1/messages', 'anthropic');
const generate = findOperation('/v1beta/models/m:streamGenerateContent', 'gemini');

const json = { 'content-type': 'application/json; charset=utf-8' };
const sse = { 'content-type': 'text/event-stream' };

async function tap(
  from: Operation,
  headers: Record<string, string>,
  bytes: Buffer | string,
  cuts: readonly number[] = [],
): Promise<ResponseReading> {
  const response = openAnswerPipe(from, headers);
  const body = Buffer.from(bytes);
  let start = 0;
  for (const cut of [...cuts, body.length].sort((a, b) => a - b)) {
    response.push(body.subarray(start, cut));
    start = cut;
  }
  return response.read();
}

const answer = JSON.stringify({
  model: 'm-1',
  choices: [{ message: { content: 'Grüße' } }],
  usage: { prompt_tokens: 3, completion_tokens: 4 },
});
const usage = makeUsage({ promptTokens: 3, completionTokens: 4 });

const streams: [string, Operation, string][] = [
  [
    'openai',
    chat,
    'data: {"model":"m-1","choices":[{"delta":{"content":"Grüße"}}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\ndata: [DONE]\n\n',
  ],
  [
    'anthropic',
    messages,
    'event: message_start\ndata: {"type":"message_start","message":{"model":"m-1","usage":{"input_tokens":3,"output_tokens":1}}}\n\nevent: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Grüße"}}\n\nevent: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":4}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  [
    'gemini',
    generate,
    'data: {"modelVersion":"m-1","candidates":[{"content":{"parts":[{"text":"Grüße"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4}}\n\n',
  ],
];

describe('streams', () => {
  test.each(streams)('of %s, in one piece, cut in two at every byte, and byte by byte', async (_, from, text) => {
    const all = Buffer.from(text);
    const positions = [...all.keys()];
    for (const cuts of [[], positions, ...positions.map((at) => [at])]) {
      const reading = await tap(from, sse, all, cuts);
      expect(reading).toMatchObject({ model: 'm-1', usage, usageIsFinal: true, sawEnd: true, inspected: true });
      expect(reading.output()).toMatchObject({ parts: ['Grüße'], whole: true });
    }
  });

  test.each(streams)('of %s with CRLF, and with no blank line at the end', async (_, from, text) => {
    const reading = await tap(from, sse, text.replaceAll('\n', '\r\n').trimEnd());
    expect(reading).toMatchObject({ model: 'm-1', usage, sawEnd: true });
  });

  test('of Gemini as a JSON array, whole, split at every byte, and cut', async () => {
    const frame = (text: string, tokens: number, finishReason?: string) => ({
      candidates: [{ content: { parts: [{ text }] }, finishReason }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: tokens },
      modelVersion: 'm-1',
    });
    const array = Buffer.from(JSON.stringify([frame('Gr"{ü\\', 2), frame('ße]', 4, 'STOP')], null, 1));
    for (const cuts of [[], [...array.keys()]]) {
      const reading = await tap(generate, json, array, cuts);
      expect(reading).toMatchObject({ model: 'm-1', usage, usageIsFinal: true, sawEnd: true });
      expect(reading.output()).toMatchObject({ parts: ['Gr"{ü\\ße]'], whole: true });
    }
    const cut = await tap(generate, json, array.subarray(0, array.length - 60));
    expect(cut).toMatchObject({ usageIsFinal: false, sawEnd: false });
    expect(cut.usage?.completionTokens).toBe(2);
    expect(cut.output()).toMatchObject({ parts: ['Gr"{ü\\'], whole: false });
  });
});

describe('JSON answers', () => {
  test('are read whole', async () => {
    const reading = await tap(chat, json, answer, [7, 40]);
    expect(reading).toMatchObject({ model: 'm-1', usage, usageIsFinal: true, inspected: true });
    expect(reading.output()).toMatchObject({ parts: ['Grüße'], whole: true });
  });

  test.each([
    ['not JSON', 'Bad gateway'],
    ['cut', answer.slice(0, -3)],
    ['empty', ''],
  ])('that are %s say nothing', async (_, body) => {
    expect(await tap(chat, json, body)).toMatchObject({ usage: null, inspected: false });
  });

  test('errors have no usage', async () => {
    expect(await tap(chat, json, '{"error":{"message":"no"}}')).toMatchObject({ usage: null, model: null });
  });

  const vector = JSON.stringify({ object: 'embedding', embedding: Array.from({ length: 1536 }, (_, i) => i / 7) });
  const vectors = (count: number) => `{"object":"list","data":[${Array(count).fill(vector).join(',')}]`;
  const figures = '"usage":{"prompt_tokens":8,"total_tokens":8}';

  test.each([
    ['large', 10],
    ['larger than what is kept', 400],
  ])('that are %s are read at their end', async (_, count) => {
    const body = `${vectors(count)},"model":"e-1",${figures}}`;
    const cuts = Array.from({ length: 200 }, (_, i) => (i * body.length) / 200).map(Math.floor);
    const reading = await tap(embeddings, json, body, cuts);
    expect(reading).toMatchObject({ model: 'e-1', usage: makeUsage({ promptTokens: 8 }), inspected: true });
  });

  test('that are large and say it at their beginning are parsed', async () => {
    const body = `{"model":"e-1",${figures},${vectors(10).slice(1)}}`;
    expect(await tap(embeddings, json, body)).toMatchObject({ model: 'e-1', usage: makeUsage({ promptTokens: 8 }) });
  });

  test('figures of something inside a large answer are not taken for those of the call', async () => {
    const input = { usage: { input_tokens: 1, output_tokens: 1 } };
    const content = [
      { type: 'text', text: 'x'.repeat(200_000) },
      { type: 'tool_use', name: 'f', input },
    ];
    const real = { input_tokens: 3, output_tokens: 4 };
    for (const body of [
      { model: 'm', usage: real, content },
      { model: 'm', content, usage: real },
    ]) {
      expect((await tap(messages, json, JSON.stringify(body))).usage).toEqual(usage);
    }
  });
});

describe('compressed bodies', () => {
  const encoders: [string, (bytes: Buffer) => Buffer][] = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ];

  test.each(encoders)('%s', async (encoding, encode) => {
    const body = encode(Buffer.from(answer));
    for (const cuts of [[], [...body.keys()]]) {
      const reading = await tap(chat, { ...json, 'content-encoding': encoding }, body, cuts);
      expect(reading).toMatchObject({ model: 'm-1', usage, inspected: true });
    }
    expect((await tap(chat, { ...json, 'content-encoding': 'identity' }, answer)).usage).toEqual(usage);
  });

  test('zstd in several frames, of which a decoder reads the first, is not taken for all of an answer', async () => {
    const frames = [answer.slice(0, 9), answer.slice(9)].map((part) => zstdCompressSync(part));
    const reading = await tap(chat, { ...json, 'content-encoding': 'zstd' }, Buffer.concat(frames));
    expect(reading).toMatchObject({ usage: null, inspected: false });
  });

  test('of a stream that was cut are read as far as they go', async () => {
    const text = streams[1]?.[2].repeat(1) ?? '';
    const body = gzipSync(Buffer.from(text + ': padding\n\n'.repeat(50_000)));
    const reading = await tap(messages, { ...sse, 'content-encoding': 'gzip' }, body.subarray(0, body.length - 100));
    expect(reading).toMatchObject({ model: 'm-1', usage });
  });

  test.each(['gzip', 'deflate', 'br', 'zstd'])('invalid %s does no harm', async (encoding) => {
    const headers = { ...json, 'content-encoding': encoding };
    expect(await tap(chat, headers, answer)).toMatchObject({ usage: null, inspected: false });
    expect(await tap(chat, headers, '')).toMatchObject({ usage: null });
  });

  test('that decode to more than any answer are given up', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, ' '), { level: 1 });
    expect(await tap(chat, { ...sse, 'content-encoding': 'gzip' }, bomb)).toMatchObject({
      usage: null,
      inspected: false,
    });
  });

  test('in an encoding that is not known, or in two, are not read', async () => {
    for (const encoding of ['compress', 'gzip, br', '__proto__']) {
      expect((await tap(chat, { ...json, 'content-encoding': encoding }, answer)).inspected).toBe(false);
    }
  });
});

test.each(['text/event-stream', 'application/json', 'text/plain', 'application/octet-stream', ''])(
  'JSON and streams are known by their first bytes, sent as %j',
  async (type) => {
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
    for (const [, from, text] of streams) {
      expect(await tap(from, headers, ` \n${text}`, [1, 3, 5])).toMatchObject({ usage, sawEnd: true, inspected: true });
    }
    expect(await tap(chat, headers, answer, [1])).toMatchObject({ usage, inspected: true });
    expect(await tap(chat, headers, '{"error":{"message":"no"}}')).toMatchObject({ isError: true });
  },
);

test('other kinds of bodies are not read', async () => {
  for (const type of ['text/html', 'application/octet-stream', '']) {
    expect((await tap(chat, type === '' ? {} : { 'content-type': type }, '<p>no</p>')).inspected).toBe(false);
  }
  expect((await tap(chat, { 'content-type': 'audio/mpeg' }, answer)).inspected).toBe(false);
});

test('no body makes a tap throw', async () => {
  const operations = fc.constantFrom(chat, embeddings, messages, generate);
  const headers = fc.record({
    'content-type': fc.constantFrom('application/json', 'text/event-stream'),
    'content-encoding': fc.constantFrom('', 'gzip', 'br', 'deflate', 'zstd'),
  });
  const start = fc.constantFrom('', 'data: ', '{"usage":', '[{', '"usageMetadata":{"');
  await fc.assert(
    fc.asyncProperty(
      operations,
      headers,
      start,
      fc.uint8Array(),
      fc.array(fc.nat(100)),
      async (from, type, text, bytes, positions) => {
        const body = Buffer.concat([Buffer.from(text), bytes]);
        const reading = await tap(
          from,
          type,
          body,
          positions.map((at) => at % (body.length + 1)),
        );
        const output = reading.output();
        expect(Buffer.isBuffer(output) || Array.isArray(output.parts)).toBe(true);
      },
    ),
  );
});

test.each(['application/x-event-stream', 'application/x-jsonl'])(
  'a policy judges frames under %s as it does under their own type',
  (type) => {
    const judged: unknown[] = [];
    const pipe = openAnswerPipe(generate, { 'content-type': type }, { allows: (names) => judged.push(names) > 0 });
    const body = Buffer.from(streams[2]?.[2] ?? '');
    expect(Buffer.concat([pipe.push(body), pipe.end()])).toEqual(body);
    expect(judged).toEqual([expect.objectContaining({ model: 'm-1' })]);
  },
);

test('what waits for its turn at the end passes before what the end writes in steps', async () => {
  const frame = (text: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
  const texts = ['4111 '.repeat(100_000), 'so far. ', `${'a@b.de '.repeat(60_000)}a@b`];
  const redactor = openRedactor(['credit_card', 'email']);
  const headers = { 'content-type': 'text/event-stream' };
  const pipe = openAnswerPipe(findOperation('/v1/chat/completions'), headers, { redactor });
  let passed = pipe.push(Buffer.from(texts.map(frame).join(''))).toString();
  const rest = pipe.end();
  passed += (pipe.later ? await pipe.later : rest).toString();
  const said = passed
    .split('\n\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line.slice(6)).choices[0].delta.content]));
  expect(said).toHaveLength(3);
  expect(said.slice(1)).toEqual(['so far. ', `${'[email] '.repeat(60_000)}a@b`]);
});
