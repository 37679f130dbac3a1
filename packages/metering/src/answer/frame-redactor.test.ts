import { expect, test } from 'vitest';
import { findOperation } from '../../test/find-operation.ts';
import { openRedactor, passFrames } from '../../test/redact.ts';
import { Frame } from '../json/frame.ts';
import { openAnswerPipe } from './answer-pipe.ts';
import { FramePipe } from './frame-pipe.ts';
import { FrameRedactor } from './frame-redactor.ts';

interface Shape {
  name: string;
  frame(piece: string): unknown;
  /** Frames behind the text. */
  end: readonly unknown[];
  read(frame: unknown): string;
}

const at = (frame: unknown, ...path: (string | number)[]): string =>
  String(path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], frame) ?? '');

const chat = (member: string): Shape => ({
  name: `chat ${member}`,
  frame: (piece) => ({ id: 'chatcmpl-1', choices: [{ index: 0, delta: { [member]: piece }, finish_reason: null }] }),
  end: [{ id: 'chatcmpl-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
  read: (frame) => at(frame, 'choices', 0, 'delta', member),
});

const shapes: readonly Shape[] = [
  ...['content', 'reasoning_content', 'refusal'].map(chat),
  {
    name: 'messages',
    frame: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    end: [{ type: 'content_block_stop', index: 0 }, { type: 'message_stop' }],
    read: (frame) => at(frame, 'delta', 'text'),
  },
  {
    name: 'gemini',
    frame: (text) => ({ candidates: [{ content: { parts: [{ text }], role: 'model' } }] }),
    end: [{ candidates: [{ content: { parts: [], role: 'model' }, finishReason: 'STOP' }] }],
    read: (frame) => at(frame, 'candidates', 0, 'content', 'parts', 0, 'text'),
  },
  {
    name: 'responses',
    frame: (delta) => ({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta }),
    end: [],
    read: (frame) => at(frame, 'delta'),
  },
];

const text = 'Write to john.doe@example.com, or to "Ann" \\ mary@example.org 🙂, today.';
const kept = text.replace('john.doe@example.com', '[email]').replace('mary@example.org', '[email]');

test.each(shapes)('a text of $name is redacted at every split', ({ frame, end, read }) => {
  for (let first = 0; first <= text.length; first++)
    for (const length of [1, 5, text.length]) {
      const cuts = [text.slice(0, first), text.slice(first, first + length), text.slice(first + length)];
      const { passed } = passFrames(openRedactor(['email']), [...cuts.map(frame), ...end]);
      expect(passed.map(read).join(''), `split at ${first} and ${length} behind`).toBe(kept);
      expect(passed.length).toBe(3 + end.length);
    }
});

test.each(shapes)('a stream of $name ends before a frame with what is blocked', ({ frame, end, read }) => {
  for (let length = 1; length < 12; length++) {
    const pieces = text.match(new RegExp(`.{1,${length}}`, 'gsu')) as string[];
    const { passed } = passFrames(openRedactor(['email'], { blocks: true }), [...pieces.map(frame), ...end]);
    expect('Write to '.startsWith(passed.map(read).join(''))).toBe(true);
  }
});

const json = JSON.stringify({
  to: 'a"b john.doe@example.com\nx',
  cc: ['mary@example.org'],
  card: 4111111111111111,
  n: 1.5,
  ok: true,
});
const redactedJson = { to: 'a"b [email]\nx', cc: ['[email]'], card: '[credit_card]', n: 1.5, ok: true };

test.each([
  {
    name: 'chat',
    frame: (piece: string): unknown => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }],
    }),
    read: (frame: unknown) => at(frame, 'choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'),
  },
  {
    name: 'messages',
    frame: (piece: string): unknown => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: piece },
    }),
    read: (frame: unknown) => at(frame, 'delta', 'partial_json'),
  },
])('arguments of $name stay JSON at every split', ({ frame, read }) => {
  for (let first = 0; first <= json.length; first++) {
    const cuts = [json.slice(0, first), json.slice(first, first + 3), json.slice(first + 3)];
    const { passed } = passFrames(openRedactor(['email', 'credit_card']), cuts.map(frame));
    expect(JSON.parse(passed.map(read).join('')), `split at ${first}`).toEqual(redactedJson);
  }
});

test('frames without a finding pass as they came, and prose is held back by a word', () => {
  const words = 'The quick brown fox jumps over the lazy dog again and again until evening comes. '.split(/(?<= )/);
  const frames = words.map((piece) => (shapes[0] as Shape).frame(piece));
  const { passed, most } = passFrames(openRedactor(['email']), frames);
  expect(passed).toEqual(frames);
  expect(most).toBeLessThan(20 * JSON.stringify(frames[0]).length);
});

test('what repeats a whole text is redacted too', () => {
  const done = { type: 'response.completed', response: { output: [{ content: [{ type: 'output_text', text }] }] } };
  const { passed } = passFrames(openRedactor(['email']), [done]);
  expect(JSON.stringify(passed)).not.toContain('example.com');
  expect(at(passed[0], 'response', 'output', 0, 'content', 0, 'text')).toBe(kept);
});

test('what waits for a check passes once it is too much, if what is unread may pass', () => {
  const redactor = Object.assign(openRedactor(['email']), { check: async () => [] });
  const reader = { push: () => {}, end: () => ({}) as never };
  const full = { hold: () => false, release: () => {} };
  const pipe = new FramePipe('frames', reader, [new FrameRedactor(redactor, 'frames')], full);
  const frame = (shapes[0] as Shape).frame('ask john@example.com now');
  expect(pipe.push(Buffer.from(`data: ${JSON.stringify(frame)}\n\n`)).toString()).toContain('ask [email] now');
  expect(redactor.unread).toEqual(['a frame that is too long']);
});

test('choices that take turns are texts apart', () => {
  const pieces = [0, 4, 8, 12].flatMap((from) =>
    [0, 1].map((index) => ({ index, text: 'a jane@e.com z'.slice(from, from + 4) })),
  );
  const { passed } = passFrames(
    openRedactor(['email']),
    pieces.map((choice) => ({ choices: [choice] })),
  );
  for (const index of [0, 1]) {
    const own = passed.map((frame) => (frame as { choices: [{ index: number; text: string }] }).choices[0]);
    expect(own.map((choice) => (choice.index === index ? choice.text : '')).join('')).toBe('a [email] z');
  }
});

test("a thought of Gemini's first candidate, told without its number, ends as the answer begins", () => {
  const say = (part: object, index?: number) => ({ candidates: [{ content: { parts: [part] }, index }] });
  const frames = [say({ text: 'call +49 30', thought: true }), say({ text: 'No, wait. ' }, 0)];
  const filter = new FrameRedactor(openRedactor(['phone']), 'frames');
  const passed = frames.map((frame) => {
    const data = JSON.stringify(frame);
    return filter.take(new Frame('', data), Buffer.from(`data: ${data}\n\n`)).toString();
  });
  expect(passed[1]).toContain('call +49 30');
});

test('texts beyond a thousand of a stream are unread, and searched frame by frame', () => {
  const redactor = openRedactor(['email']);
  const frames = Array.from({ length: 1_001 }, (_, index) => ({
    ...{ type: 'content_block_delta', index, delta: { type: 'text_delta', text: 'to john@example.com now' } },
  }));
  const { passed } = passFrames(redactor, frames);
  expect(new Set(passed.map((frame) => at(frame, 'delta', 'text')))).toEqual(new Set(['to [email] now']));
  expect(redactor.unread).toEqual(['a stream of very many texts']);
});

const card = '4111 1111 1111 1111';
const gemini = (...parts: object[]) => ({ candidates: [{ content: { parts, role: 'model' } }] });
const delta = (more: object) => ({ choices: [{ index: 0, delta: more }] });

test.each<[string, unknown[]]>([
  [
    'behind a thought that ends in a digit',
    [gemini({ text: 'so 5', thought: true }), gemini({ text: `${card} it is.` }), gemini({ text: ' End' })],
  ],
  [
    'that begins where a block opens',
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '4111 1111' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' 1111 1111 now' } },
    ],
  ],
  [
    'that begins where a part is added',
    [
      {
        type: 'response.content_part.added',
        item_id: 'm',
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '4111 1111' },
      },
      {
        type: 'response.output_text.delta',
        item_id: 'm',
        output_index: 0,
        content_index: 0,
        delta: ' 1111 1111 now',
      },
    ],
  ],
  [
    'of a message that grows',
    [
      { choices: [{ index: 0, message: { content: '4111 11' } }] },
      { choices: [{ index: 0, message: { content: card } }] },
    ],
  ],
  ...['tool_plan', 'partial_arguments', 'unknown'].map((member): [string, unknown[]] => [
    `in a member ${member} of two frames`,
    [delta({ [member]: 'pay 4111 1111' }), delta({ [member]: ' 1111 1111 now' }), delta({})],
  ]),
  [
    'in a list of an unknown member',
    [delta({ tools: [{ output: '4111 1111' }] }), delta({ tools: [{ output: ' 1111 1111 now' }] })],
  ],
  [
    'of a choice without its number',
    [delta({ content: '4111 1111' }), { choices: [{ delta: { content: ' 1111 1111 now' } }] }],
  ],
  ['that is a frame of its own', ['4111111111111111']],
])('a value %s is found', (_name, frames) => {
  const redactor = openRedactor(['credit_card']);
  const { passed } = passFrames(redactor, frames);
  expect(JSON.stringify(passed).replace(/\D/g, '')).not.toContain('1111111');
  expect(redactor.found.map((value) => value.replaceAll(' ', ''))).toContain('4111111111111111');
});

test('what no table knows waits for one frame, and what is said anew for none', () => {
  const filter = new FrameRedactor(openRedactor(['email']), 'frames');
  const send = (frame: unknown) => {
    const data = JSON.stringify(frame);
    return String(filter.take(new Frame('', data), Buffer.from(`data: ${data}\n\n`)));
  };
  const said = { provider: 'jane', ...delta({ content: 'One ' }) };
  expect(send(said)).toBe('');
  expect(send(said)).toContain('One');
  expect(send(said)).toContain('One');
});

test('a value in a member that no table knows is one finding', () => {
  const redactor = openRedactor(['email']);
  passFrames(redactor, [delta({ tool_plan: 'ask jane@example.com now' }), delta({})]);
  expect(redactor.found).toEqual(['jane@example.com']);
});

test('a stream that names ever more texts is unread, and what it names is not kept', () => {
  const redactor = openRedactor(['email']);
  const frames = Array.from({ length: 21 }, (_, at) => {
    return Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${at}-${index}`, { a: 'b' }]));
  });
  passFrames(redactor, frames);
  expect(redactor.unread).toContain('a stream of very many texts');
});

test('a thought stands apart from its answer, and neither waits for the other', () => {
  const said = [
    gemini({ text: 'mail jane@example.com', thought: true }),
    gemini({ text: 'Please ' }),
    gemini({ text: 'call.' }),
  ];
  const { passed, most } = passFrames(openRedactor(['email']), said);
  const read = passed.map((frame) => at(frame, 'candidates', 0, 'content', 'parts', 0, 'text'));
  expect(read).toEqual(['mail [email]', 'Please ', 'call.']);
  expect(most).toBeLessThan(200);
});

test('a line of a stream that is of no event is unread', () => {
  const redactor = openRedactor(['email']);
  const filter = new FrameRedactor(redactor, 'frames');
  filter.take(null, Buffer.from(': a comment\nid: 7\n\n'));
  expect(redactor.unread).toEqual([]);
  filter.take(null, Buffer.from('no jane@example.com\n\n'));
  expect(redactor.unread).toEqual(['a line of a stream that is of no event']);
});

test('a long frame is read in steps, between which others have their turn, and changed as if it were read at once', async () => {
  const value = `${'4111 '.repeat(60_000)}mail ada@example.com, ${'lorem ipsum '.repeat(12_000)}and bob@example.com`;
  const frames = [
    { type: 'response.created', response: { instructions: value } },
    { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: value },
    { type: 'response.output_text.done', item_id: 'm', output_index: 0, content_index: 0, text: value },
  ];
  const bytes = Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
  const type = { 'content-type': 'text/event-stream' };
  const pipe = openAnswerPipe(findOperation('/v1/responses'), type, {
    redactor: openRedactor(['email', 'credit_card']),
    searchAnswer: () => ({ places: [], unsearched: null, isChangeable: true }),
  });
  let [passed, turns] = [pipe.push(bytes).toString(), 0];
  for (; !pipe.isReady; turns += 1) {
    await new Promise<void>((resolve) => pipe.whenReady(resolve));
    passed += pipe.push(Buffer.alloc(0)).toString();
  }
  passed += pipe.end().toString();
  expect(passed).toBe(
    bytes.toString().replaceAll('ada@example.com', '[email]').replaceAll('bob@example.com', '[email]'),
  );
  // Else it would be one turn.
  expect(turns).toBeGreaterThan(3);
});
