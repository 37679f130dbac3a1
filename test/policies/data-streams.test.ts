import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { everyKind, exchangeOf, openRedactor, redactAnswer, sentences } from './data-texts.ts';

const card = '4111 1111 1111 1111';
const email = 'john.doe@example.com';
const chatStream = exchangeOf('openai', '/v1/chat/completions');
const sse = { 'content-type': 'text/event-stream' };
const frame = (text: string) => JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] });

describe('a stream', () => {
  const pass = (wire: string | Buffer, redactor = openRedactor()) =>
    redactAnswer(chatStream, [Buffer.from(wire)], sse, redactor);
  const json = JSON.stringify({ choices: [{ index: 0, delta: { content: `to ${email}` } }] }, null, 1);

  test.each<[string, string, string]>([
    [
      'CRLF',
      `data: ${frame(email)}\r\n\r\ndata: [DONE]\r\n\r\n`,
      `data: ${frame('[email]')}\r\n\r\ndata: [DONE]\r\n\r\n`,
    ],
    ['CR', `data: ${frame(email)}\r\rdata: [DONE]\r\r`, `data: ${frame('[email]')}\r\rdata: [DONE]\r\r`],
    [
      'other lines',
      `: hi\nid: 7\nevent: e\ndata:${frame(email)}\nretry: 3\n\n`,
      `: hi\nid: 7\nevent: e\ndata:${frame('[email]')}\nretry: 3\n\n`,
    ],
    [
      'a comment like its data',
      `: ${frame(email).slice(0, 9)}\ndata: ${frame(email)}\n\n`,
      `: ${frame(email).slice(0, 9)}\ndata: ${frame('[email]')}\n\n`,
    ],
    ['a byte order mark', `\ufeffdata: ${frame(email)}\n\n`, `\ufeffdata: ${frame('[email]')}\n\n`],
    ['no blank line at its end', `data: ${frame(email)}`, `data: ${frame('[email]')}`],
    [
      'several lines of data',
      `data: ${json.replaceAll('\n', '\ndata: ')}\n\n`,
      `data: ${json.replace(email, '[email]').replaceAll('\n', ' ')}\n\n`,
    ],
    [
      'comments between',
      `data: ${frame('john.doe@exa')}\n\n: ping\n\ndata: ${frame('mple.com.')}\n\n`,
      `data: ${frame('[email]')}\n\n: ping\n\ndata: ${frame('.')}\n\n`,
    ],
    [
      'data that is no JSON',
      `data: ${email} and more, of which none is JSON\n\n`,
      'data: [email] and more, of which none is JSON\n\n',
    ],
    ['a card alone', `data: ${card}\n\n`, 'data: [credit_card]\n\n'],
  ])('with %s is redacted', async (_name, wire, expected) => {
    expect(await pass(wire)).toBe(expected);
  });

  test('with a frame that is too long passes it only unread', async () => {
    const redactor = openRedactor();
    await pass(`data: ${frame('x'.repeat(9 * 1024 * 1024))}\n\n`, redactor);
    expect(redactor.unread).toContain('a frame that is too long');
    const long = openRedactor();
    await pass(`data: ${frame('x'.repeat(2 * 1024 * 1024))}\n\n`, long);
    expect(long.unread).toEqual(['a frame with more than a million characters']);
  });

  test('or answer that breaks off is told to be unsearched', async () => {
    const redactor = openRedactor();
    await redactAnswer(chatStream, [Buffer.from(`{"a":"${email}`)], { 'content-type': 'application/json' }, redactor);
    expect(redactor.unread).toEqual(['what is no JSON']);
  });

  test.each(['text/html', 'text/plain', 'application/json', 'application/problem+json'])(
    'or error page as %s is redacted',
    async (type) => {
      const page = `<p>Ask "${email}" & co.</p>`;
      const refused = { ...chatStream, answer: { status: 500 } };
      const passed = await redactAnswer(refused, [Buffer.from(page)], { 'content-type': type });
      expect(passed).toBe(page.replace(email, '[email]'));
    },
  );

  test('or answer in an encoding that nobody asked for passes only unread', async () => {
    for (const [wire, type] of [
      [`data: ${frame(email)}\n\n`, sse],
      [frame(email), { 'content-type': 'application/json' }],
    ] as const) {
      const redactor = openRedactor();
      await redactAnswer(chatStream, [gzipSync(wire)], { ...type, 'content-encoding': 'gzip' }, redactor);
      expect(redactor.unread).toEqual(['an answer that is encoded']);
    }
  });
});

const signs = [
  ' ',
  '\n',
  '"',
  '{',
  '}',
  '[',
  ']',
  '\\',
  '\\u0034',
  '🙂',
  '\u200b',
  '1',
  '. ',
  'lorem ipsum '.repeat(60),
];
const prose = fc
  .array(fc.oneof(fc.constantFrom(...sentences.map(({ text }) => text)), fc.constantFrom(...signs)), { maxLength: 9 })
  .map((parts) => `So ${parts.join('')}`);
const args = prose.map((text) =>
  JSON.stringify({ a: text, b: [{ c: JSON.stringify({ d: text }) }], n: 4111111111111111 }),
);

test('any text passes a stream as it passes whole, however it is cut and whatever is looked for', async () => {
  const kinds = fc.subarray([...everyKind.kinds], { minLength: 1 });
  const check = fc.asyncProperty(
    fc.oneof(prose, args),
    fc.array(fc.nat(), { maxLength: 9 }),
    kinds,
    async (text, at, found) => {
      const redactor = () => openRedactor({ config: { ...everyKind, kinds: found } });
      const places = [0, ...at.map((each) => each % (text.length + 1)).sort((a, b) => a - b), text.length];
      const parts = places.slice(1).map((to, index) => frame(text.slice(places[index], to)));
      const wire = parts.map((part) => `data: ${part}\n\n`).join('');
      const passed = await redactAnswer(chatStream, [Buffer.from(wire)], sse, redactor());
      const whole = await redactAnswer(
        chatStream,
        [Buffer.from(frame(text))],
        { 'content-type': 'application/json' },
        redactor(),
      );
      const read = (json: string) => JSON.parse(json).choices[0].delta.content as string;
      expect(
        passed
          .trim()
          .split('\n\n')
          .map((line) => read(line.slice(6)))
          .join(''),
      ).toBe(read(whole));
    },
  );
  await fc.assert(check, { numRuns: 1_500, seed: 48 });
});

describe('labels', () => {
  const values = new Map([
    ['[email k7p2mz]', 'john "J" doe@example.com\nnext\\'],
    ['[card b0c1d2]', card],
  ]);
  const restoring = () => ({
    ...openRedactor({ config: { kinds: [], patterns: [], findsLabels: true } as typeof everyKind }),
    put: (_kind: string, label: string) => values.get(label) ?? null,
  });
  const stream = async (pieces: readonly string[], write: (piece: string) => object) => {
    const wire = pieces.map((piece) => `data: ${JSON.stringify(write(piece))}\n\n`).join('');
    const passed = await redactAnswer(chatStream, [Buffer.from(wire)], sse, restoring());
    return passed
      .trim()
      .split('\n\n')
      .map((line) => JSON.parse(line.slice(6)));
  };

  test('split over frames are restored, and those of no session stay', async () => {
    const text = 'Mail [email k7p2mz], [email k7p2mw], [card b0c1d2], [email  k7p2mz], [card b0c1d2f] and [email 1].';
    for (let at = 0; at <= text.length; at++) {
      const frames = await stream([text.slice(0, at), text.slice(at)], (content) => ({
        choices: [{ index: 0, delta: { content } }],
      }));
      expect(frames.map((frame) => frame.choices[0].delta.content).join(''), `split at ${at}`).toBe(
        `Mail ${values.get('[email k7p2mz]')}, [email k7p2mw], ${card}, [email  k7p2mz], [card b0c1d2f] and [email 1].`,
      );
    }
  });

  test('in arguments are restored as JSON', async () => {
    const text = JSON.stringify({ to: '[email k7p2mz]', inner: JSON.stringify({ to: '[email k7p2mz]' }) });
    for (let at = 0; at <= text.length; at++) {
      const frames = await stream([text.slice(0, at), text.slice(at)], (piece) => ({
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }],
      }));
      const args = frames.map((frame) => frame.choices[0].delta.tool_calls[0].function.arguments).join('');
      const to = values.get('[email k7p2mz]');
      expect(JSON.parse(args), `split at ${at}`).toEqual({ to, inner: JSON.stringify({ to }) });
    }
  });
});
