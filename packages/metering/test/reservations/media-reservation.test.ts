import { expect, test } from 'vitest';
import { makeReserve, type ReservedRequest } from './make-reserve.ts';

const reserve = makeReserve('available');

/** A PNG of so many pixels in so many bytes of Base64, as a noisy screenshot has. */
function makePicture(width: number, height: number, size = 1_900_000): string {
  const head = Buffer.alloc(size * 0.75);
  head.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString('base64');
}

const screen = makePicture(1_920, 1_080);
const unreadable = Buffer.alloc(1_000_000, 'x').toString('base64');
const url = `data:image/png;base64,${screen}`;
const pdf = Buffer.from('%PDF-1.4 << /Type /Page >> << /Type /Page >> << /Type /Page >>').toString('base64');

/** What the request is beside its pictures, in tokens; its output is bounded by one. */
const tokens = (body: object, ...data: string[]) =>
  Math.ceil((JSON.stringify(body).length - data.reduce((sum, { length }) => sum + length, 0)) / 4);

const chat = (model: string, ...content: object[]) => ({
  path: '/v1/chat/completions',
  body: { model, max_tokens: 1, messages: [{ role: 'user', content }] },
});
const responses = (model: string, ...content: object[]) => ({
  path: '/v1/responses',
  body: { model, max_output_tokens: 1, input: [{ role: 'user', content }] },
});
const toolResult = (model: string, ...output: object[]) => ({
  path: '/v1/responses',
  body: { model, max_output_tokens: 1, input: [{ type: 'function_call_output', call_id: 'c', output }] },
});
const messages = (model: string, ...content: object[]) => ({
  path: '/v1/messages',
  api: 'anthropic' as const,
  body: { model, max_tokens: 1, messages: [{ role: 'user', content }] },
});
const gemini = (model: string, ...parts: object[]) => ({
  path: `/v1beta/models/${model}:generateContent`,
  api: 'gemini' as const,
  body: { contents: [{ role: 'user', parts }], generationConfig: { maxOutputTokens: 1 } },
});

const imageUrl = (given: string, detail?: string) => ({ type: 'image_url', image_url: { url: given, detail } });
const inputImage = (given: string, detail?: string) => ({ type: 'input_image', image_url: given, detail });
const source = (data: string, media_type = 'image/png') => ({ type: 'base64', media_type, data });
const image = { type: 'image', source: source(screen) };
const inline = (data: string, mimeType = 'image/png') => ({ inlineData: { mimeType, data } });
const nested = { type: 'tool_result', tool_use_id: 't', content: [image] };

/** Prices in nano-dollars a token of input and of output. */
test.each<[what: string, ReservedRequest & { body: object }, string[], counted: number, input: number, output: number]>(
  [
    // 1,365 x 768 pixels are 3 x 2 tiles.
    ['chat, in tiles', chat('gpt-4o', imageUrl(url)), [screen], 85 + 6 * 170, 2_500, 10_000],
    ['chat, as an agent would have it', chat('gpt-5.4', imageUrl(url, 'constructor')), [screen], 2_448, 2_500, 15_000],
    ['chat, coarse', chat('gpt-4o', imageUrl(url, 'low')), [screen], 85, 2_500, 10_000],
    // 60 x 34 squares of 32 pixels are more than 1,536.
    ['chat, in squares', chat('gpt-5-mini', imageUrl(url)), [screen], Math.ceil(1_536 * 1.62), 250, 2_000],
    ['Responses', responses('gpt-6-sol', inputImage(url)), [screen], 2_448, 2_000, 10_000],
    ['Responses, high', responses('gpt-6-sol', inputImage(url, 'high')), [screen], 2_448, 2_000, 10_000],
    ['a result of a tool', toolResult('gpt-6-sol', inputImage(url)), [screen], 2_448, 2_000, 10_000],
    // 69 x 39 squares of 28 pixels.
    ['Messages', messages('claude-opus-5-5', image), [screen], 2_691, 4_000, 20_000],
    ['Messages, of a coarse model', messages('claude-haiku-4-5', image), [screen], 1_600, 1_000, 5_000],
    ['a result of a tool of Messages', messages('claude-opus-5-5', nested), [screen], 2_691, 4_000, 20_000],
    // Of 1,920 x 1,080 pixels each tile has 720: 3 x 2.
    ['Gemini, in tiles', gemini('gemini-2.5-flash', inline(screen)), [screen], 6 * 258, 300, 2_500],
    ['Gemini, by resolution', gemini('gemini-3.5-flash', inline(screen)), [screen], 1_120, 1_500, 9_000],
    [
      'one that cannot be read',
      messages('claude-opus-5-5', { ...image, source: source(unreadable) }),
      [unreadable],
      4_784,
      4_000,
      20_000,
    ],
    ['one that is fetched', responses('gpt-5.5', inputImage('https://a.b/c.png')), [], 12_000, 5_000, 30_000],
    [
      'three pages',
      messages('claude-opus-5-5', { type: 'document', source: source(pdf, 'application/pdf') }),
      [pdf],
      3 * 7_784,
      4_000,
      20_000,
    ],
    ['three pages at Gemini', gemini('gemini-3.5-flash', inline(pdf, 'application/pdf')), [pdf], 3 * 560, 1_500, 9_000],
    [
      'three pages at OpenAI',
      responses('gpt-6-sol', { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}` }),
      [pdf],
      3 * 6_000,
      2_000,
      10_000,
    ],
  ],
)(
  '%s: a picture or page reserves what its vendor charges, and nothing for its bytes',
  (_what, request, data, counted, input, output) => {
    expect(reserve(request)).toBe((tokens(request.body, ...data) + counted) * input + output);
  },
);

test('what an agent writes itself is text, whatever it looks like', () => {
  const call = { type: 'tool_use', id: 't', name: 'n', input: { ...image } };
  expect(reserve(messages('claude-opus-5-5', call))).toBe(200_000 * 4_000 + 20_000);
  expect(reserve(messages('claude-opus-5-5', { type: 'text', text: url }))).toBe(200_000 * 4_000 + 20_000);
});

test('sound costs by its seconds, at the price of sound', () => {
  const wav = Buffer.alloc(48_000 * 60);
  wav.write('RIFF....WAVEfmt ', 'latin1');
  wav.writeUInt32LE(48_000, 28);
  const data = wav.toString('base64');
  const spoken = chat('gpt-audio', { type: 'input_audio', input_audio: { data, format: 'wav' } });
  expect(reserve(spoken)).toBe(tokens(spoken.body, data) * 2_500 + 600 * 32_000 + 10_000);
  const heard = gemini('gemini-2.5-flash', inline(data, 'audio/wav'));
  expect(reserve(heard)).toBe(tokens(heard.body, data) * 300 + 60 * 32 * 1_000 + 2_500);
});
