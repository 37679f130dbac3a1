import type { EventTool } from '@agp/core/events';
import { expect, test } from 'vitest';
import { type dialects, matchOperation } from '../match-operation.ts';
import { openAnswerPipe } from './answer-pipe.ts';

const isShell = ({ names }: EventTool) => names.includes('shell');

/** What passes of a stream under rules that deny the tool `shell` and the model `bad`, and all that cannot be read. */
function pass(api: keyof typeof dialects, path: string, frames: readonly string[]): string {
  const operation = matchOperation(api, 'POST', path);
  if (operation === null) throw new Error(`no operation at ${path}`);
  const allows = (names: { model: string | null; called: readonly EventTool[] } | null) =>
    names !== null && names.model !== 'bad' && !names.called.some(isShell);
  const pipe = openAnswerPipe(operation, { 'content-type': 'text/event-stream' }, { allows });
  const passed = frames.map((frame) => pipe.push(Buffer.from(frame)));
  return Buffer.concat([...passed, pipe.end()]).toString();
}

const chat = ['openai', '/v1/chat/completions'] as const;
const cohere = ['openai', '/v2/chat'] as const;
const messages = ['anthropic', '/v1/messages'] as const;

const sse = (...values: unknown[]) =>
  values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
const chunk = (delta: object, more: object = {}) => ({ model: 'ok', choices: [{ index: 0, delta, ...more }] });
const piece = (name: string, index = 0) => chunk({ tool_calls: [{ index, function: { name } }] });
const words = chunk({ content: 'words' });
const started = { type: 'message_start', message: { model: 'ok' } };
const fallback = { type: 'fallback', from: { model: 'ok' }, to: { model: 'bad' } };

test.each<[string, readonly [keyof typeof dialects, string], string[]]>([
  ['a name in pieces', chat, sse(words, piece('sh'), piece('ell'))],
  ['a name in three pieces between others', chat, sse(piece('s'), piece('list', 1), piece('he'), piece('ll'))],
  [
    'a message beside a delta',
    chat,
    sse(words, chunk({}, { message: { tool_calls: [{ function: { name: 'shell' } }] } })),
  ],
  ['another model in a later frame', chat, sse(words, { ...words, model: 'bad' })],
  ['an escaped member', chat, sse(words, JSON.stringify(piece('shell')).replace('"name"', '"n\\u0061me"'))],
  ['an escaped model', chat, sse(words, '{"m\\u006fdel":"bad"}')],
  ['a mark within', chat, sse(words, `\ufeff${JSON.stringify(piece('shell'))}`)],
  ['a comment within', chat, sse(words, `/* */${JSON.stringify(piece('shell'))}`)],
  ['a comma too many', chat, sse(words, JSON.stringify(piece('shell')).replace(/}$/, ',}'))],
  [
    'Cohere’s call',
    cohere,
    sse({ type: 'tool-call-start', delta: { message: { tool_calls: { function: { name: 'shell' } } } } }),
  ],
  ['Cohere’s older call', cohere, sse({ event_type: 'tool-calls-generation', tool_calls: [{ name: 'shell' }] })],
  ['Anthropic’s fallback', messages, sse(started, { type: 'content_block_start', content_block: fallback })],
])('a stream ends before %s', (_what, [api, path], frames) => {
  const passed = pass(api, path, [...frames, ...sse(words)]);
  expect(passed).toBe(frames.slice(0, -1).join(''));
});

test('a stream of allowed names passes whole, with what is no JSON for anybody', () => {
  const frames = [
    ...sse(
      words,
      piece('list'),
      piece('_files'),
      piece('read', 1),
      chunk({ content: '"model":"bad" /* shell */ \\u0073hell' }),
    ),
    ': PROCESSING\n\n',
    ...sse('[DONE]'),
  ];
  expect(pass(...chat, frames)).toBe(frames.join(''));
});
