import { createPiiFinder } from '@agp/pii';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FramePipe } from '../answer/frame-pipe.ts';
import { ArrayReader } from '../answer/readers.ts';
import type { BodyReading } from '../answer/reading.ts';
import { matchOperation } from '../match-operation.ts';
import type { ProviderApi, StreamReader } from './operation.ts';

/** How an API streams one text of a kind. */
interface Format {
  name: string;
  api: ProviderApi;
  path: string;
  /** The body's frames, each with one piece of the text. */
  frames(pieces: readonly string[]): object[];
  asArray?: boolean;
}

const chatChunk = (index: number, delta: object) => ({ object: 'chat.completion.chunk', choices: [{ index, delta }] });
const chatCall = (index: number, piece: string) =>
  chatChunk(0, { tool_calls: [{ index, function: { arguments: piece } }] });
const content = (part: object) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] });
const block = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta });

/** Each piece, and behind it a piece of another text that the model writes at the same time. */
const interleave = (pieces: readonly string[], toFrame: (piece: string, index: number) => object) =>
  pieces.flatMap((piece) => [toFrame(piece, 0), toFrame(' or rather ', 1)]);

const chat = { api: 'openai', path: '/v1/chat/completions' } as const;
const responses = { api: 'openai', path: '/v1/responses' } as const;
const messages = { api: 'anthropic', path: '/v1/messages' } as const;
const gemini = { api: 'gemini', path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent' } as const;

const responseDeltas = (type: string, pieces: readonly string[]) =>
  interleave(pieces, (delta, index) => ({ type, output_index: index, content_index: 0, delta }));

const formats: Format[] = [
  {
    name: 'OpenAI chat, content',
    ...chat,
    frames: (pieces) => pieces.map((piece) => chatChunk(0, { content: piece })),
  },
  {
    name: 'OpenAI chat, two choices by turns',
    ...chat,
    frames: (pieces) => interleave(pieces, (piece, index) => chatChunk(index, { content: piece })),
  },
  {
    name: 'OpenAI chat, two tool calls by turns',
    ...chat,
    frames: (pieces) => interleave(pieces, (piece, index) => chatCall(index, piece)),
  },
  {
    name: 'OpenAI chat, refusal',
    ...chat,
    frames: (pieces) => pieces.map((piece) => chatChunk(0, { refusal: piece })),
  },
  {
    name: 'OpenAI chat, reasoning beside content',
    ...chat,
    frames: (pieces) => pieces.map((piece) => chatChunk(0, { content: ' so ', reasoning_content: piece })),
  },
  {
    name: 'OpenAI completions',
    api: 'openai',
    path: '/v1/completions',
    frames: (pieces) => interleave(pieces, (text, index) => ({ choices: [{ index, text }] })),
  },
  { name: 'OpenAI responses, text', ...responses, frames: (p) => responseDeltas('response.output_text.delta', p) },
  {
    name: 'OpenAI responses, function call',
    ...responses,
    frames: (p) => responseDeltas('response.function_call_arguments.delta', p),
  },
  {
    name: 'OpenAI responses, reasoning',
    ...responses,
    frames: (p) => responseDeltas('response.reasoning_summary_text.delta', p),
  },
  { name: 'Anthropic, text', ...messages, frames: (p) => p.map((text) => block({ type: 'text_delta', text })) },
  {
    name: 'Anthropic, tool input',
    ...messages,
    frames: (p) => interleave(p, (piece, index) => block({ type: 'input_json_delta', partial_json: piece }, index)),
  },
  {
    name: 'Anthropic, thinking',
    ...messages,
    frames: (p) => p.map((thinking) => block({ type: 'thinking_delta', thinking })),
  },
  { name: 'Gemini, SSE', ...gemini, frames: (pieces) => pieces.map((text) => content({ text })) },
  {
    name: 'Gemini, thoughts beside text',
    ...gemini,
    frames: (pieces) => pieces.flatMap((text) => [content({ text, thought: true }), content({ text: ' so ' })]),
  },
  { name: 'Gemini, array', ...gemini, asArray: true, frames: (pieces) => pieces.map((text) => content({ text })) },
];

const find = createPiiFinder();

function createReader({ api, path, asArray }: Format): { push(chunk: Buffer): unknown; read(): BodyReading } {
  const reader = matchOperation(api, 'POST', path)?.createStreamReader() as StreamReader;
  if (!asArray) return new FramePipe('frames', reader, []);
  const array = new ArrayReader(reader);
  return { push: (chunk) => array.push(chunk), read: () => array.end() };
}

/** The PII found in a text that comes in these pieces, in a body that comes in chunks of a size. */
function findStreamed(format: Format, pieces: readonly string[], chunkSize: number): string[] {
  const frames = format.frames(pieces).map((frame) => JSON.stringify(frame));
  const body = Buffer.from(
    format.asArray ? `[${frames.join(',\r\n')}]` : frames.map((frame) => `data: ${frame}\n\n`).join(''),
  );
  const reader = createReader(format);
  for (let at = 0; at < body.length; at += chunkSize) reader.push(body.subarray(at, at + chunkSize));
  const output = reader.read().output();
  if (Buffer.isBuffer(output)) throw new Error('a stream gives its texts, never a body');
  expect(output.whole).toBe(true);
  return output.parts.flatMap((part) => find(part).map(({ type, start, end }) => `${type} ${part.slice(start, end)}`));
}

describe.each(formats)('$name', (format) => {
  const address = 'ada.lovelace@example.org';
  const before = 'Écris-moi à ';

  test('an e-mail address is found wherever two deltas divide it', () => {
    for (let cut = 0; cut <= address.length; cut++) {
      const pieces = [before + address.slice(0, cut), `${address.slice(cut)} today.`];
      expect(findStreamed(format, pieces, 1_000), pieces.join('|')).toEqual([`email ${address}`]);
    }
  });

  test('so is one that comes letter by letter, in bytes that come one by one', () => {
    expect(findStreamed(format, [...`${before}${address} today.`], 1)).toEqual([`email ${address}`]);
  });

  test('many deltas and bytes that are cut anywhere change nothing about what is found', () => {
    const text = `${before}${address}, card 4111 1111 1111 1111, 10.20.30.40 or 078-05-1121 – ok?`;
    const expected = find(text).map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);
    expect(expected.length).toBeGreaterThan(2);
    const cuts = fc.uniqueArray(fc.nat(text.length), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, fc.integer({ min: 1, max: 300 }), (places, chunkSize) => {
        const ends = [...places, text.length].sort((a, b) => a - b);
        const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        expect(findStreamed(format, pieces, chunkSize)).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});
