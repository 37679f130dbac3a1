import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { type Frame, findOperation, readStream } from '../../../test/find-operation.ts';

const messages = findOperation('/v1/messages', 'anthropic');
const stream = (...frames: Frame[]) => readStream(messages, ...frames);

const start = (usage?: object) => ({ type: 'message_start', message: { model: 'm-1', usage } });
const block = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta });
const text = (words: string) => block({ type: 'text_delta', text: words });
const delta = (usage?: object) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
const stop = { type: 'message_stop' };

const split = { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 600 };
const cached = { input_tokens: 21, cache_creation_input_tokens: 1000, cache_read_input_tokens: 188086 };

const read = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens });
const io = (input_tokens: number, output_tokens: number) => ({ input_tokens, output_tokens });

/** Usage reported at the start and at the end of a stream, and the usage that we read from both. */
const dialects: [string, object | undefined, object | undefined, Parameters<typeof makeUsage>[0] | null][] = [
  ['Anthropic: the end replaces the first output', io(25, 1), { output_tokens: 15 }, read(25, 15)],
  [
    'Anthropic: cache figures and their split are kept if the end reports less, or null',
    { ...cached, cache_creation: split, output_tokens: 1 },
    { input_tokens: 21, cache_read_input_tokens: null, cache_creation_input_tokens: 1000, output_tokens: 393 },
    { ...read(189107, 393), cacheReadTokens: 188086, cacheWriteTokens: 1000, cacheWrite1hTokens: 600 },
  ],
  [
    'Anthropic: input that grew while the provider ran tools is that of the end',
    { input_tokens: 2679, cache_read_input_tokens: 0, output_tokens: 3 },
    {
      input_tokens: 10682,
      cache_read_input_tokens: 0,
      output_tokens: 510,
      server_tool_use: { web_search_requests: 1 },
    },
    { ...read(10682, 510), webSearches: 1 },
  ],
  [
    'gateways: no input at the end',
    { ...cached, cache_creation: split, output_tokens: 1 },
    { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 393 },
    { ...read(189107, 393), cacheReadTokens: 188086, cacheWriteTokens: 1000, cacheWrite1hTokens: 600 },
  ],
  [
    'gateways: what was written to the cache by its lifetime alone',
    { input_tokens: 21, cache_creation: split, output_tokens: 1 },
    { output_tokens: 393 },
    { ...read(1021, 393), cacheWriteTokens: 1000, cacheWrite1hTokens: 600 },
  ],
  [
    'Kimi: all input at the start, and at the end what was not cached',
    io(173306, 0),
    { input_tokens: 250, cache_read_input_tokens: 173056, output_tokens: 90 },
    { ...read(173306, 90), cacheReadTokens: 173056 },
  ],
  [
    'Qwen: all input at the start, and at the end only how much of it was cached',
    io(3602, 0),
    { cache_creation_input_tokens: 0, cache_read_input_tokens: 3500, output_tokens: 878 },
    { ...read(3602, 878), cacheReadTokens: 3500 },
  ],
  [
    'Qwen: more cached than counted',
    io(3602, 0),
    { cache_read_input_tokens: 3604, output_tokens: 878 },
    { ...read(3604, 878), cacheReadTokens: 3604 },
  ],
  [
    'Z.ai: zeros at the start, all of it at the end',
    io(0, 0),
    { input_tokens: 14, cache_read_input_tokens: 64, output_tokens: 5 },
    { ...read(78, 5), cacheReadTokens: 64 },
  ],
  ['a start without figures', undefined, io(14, 5), read(14, 5)],
  ['input that is never reported', undefined, { output_tokens: 5 }, null],
  ['input that is never counted', io(0, 0), { output_tokens: 5 }, null],
];

describe('figures', () => {
  test.each(dialects)('%s', (_, first, last, expected) => {
    const reading = stream(start(first), { type: 'ping' }, text('Hi'), delta(last), stop);
    expect(reading.usage).toEqual(expected && makeUsage(expected));
    expect(reading).toMatchObject({ model: 'm-1', usageIsFinal: expected !== null, sawEnd: true, failed: false });
  });

  test('of events that are named, and have no type', () => {
    const [begun, end] = [start(io(25, 1)), delta({ output_tokens: 15 })];
    const frames = [begun, end].map(({ type, ...data }) => ({ event: type, data }));
    expect(stream(...frames)).toMatchObject({ usage: makeUsage(read(25, 15)), sawEnd: true });
  });

  test('several of them at the end: the last one counts', () => {
    const reading = stream(start({ input_tokens: 25, output_tokens: 1 }), delta({ output_tokens: 15 }), {
      ...delta({ output_tokens: 30, output_tokens_details: { thinking_tokens: 10 } }),
    });
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 25, completionTokens: 30, reasoningTokens: 10 }));
  });

  test('a cut stream knows its input, and says that its output is not counted', () => {
    const reading = stream(start({ input_tokens: 25, output_tokens: 1 }), text('only '), text('this'), '{"type":"cont');
    expect(reading).toMatchObject({ usageIsFinal: false, sawEnd: false });
    expect(reading.usage?.promptTokens).toBe(25);
    expect(reading.outputText().parts).toEqual(['only this']);
  });

  test('a cut stream of a server that counts at the end knows nothing', () => {
    expect(stream(start({ input_tokens: 0, output_tokens: 0 }), text('only this')).usage).toBeNull();
  });
});

describe('fallback', () => {
  const handOver = { type: 'fallback', from: { model: 'm-1' }, to: { model: 'm-2' } };
  const blocks = [
    { type: 'content_block_start', index: 0, content_block: handOver },
    { type: 'content_block_stop', index: 0 },
  ];
  const runs = [
    { type: 'message', model: 'm-1', ...io(25, 0) },
    { type: 'fallback_message', model: 'm-2', ...io(30, 15) },
  ];

  test('the model that takes over is the one that answers, and each run has its own price', () => {
    const reading = stream(start(io(25, 1)), ...blocks, text('Hi'), delta({ ...io(30, 15), iterations: runs }), stop);
    expect(reading).toMatchObject({ model: 'm-2', calls: [{ model: 'm-2', usage: makeUsage(read(30, 15)) }] });
    expect(stream(start(io(25, 1)), ...blocks, text('Hi'))).toMatchObject({ model: 'm-2', usageIsFinal: false });
  });

  test('where all of them decline before any output nothing is billed', () => {
    const end = { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: io(25, 0) };
    expect(stream(start(io(25, 1)), ...blocks, end, stop)).toMatchObject({ usage: null, isUnbilled: true });
  });
});

describe('ends', () => {
  const first = start({ input_tokens: 1, output_tokens: 1 });

  test.each<[string, Frame[], boolean, boolean]>([
    ['message_stop', [stop], true, false],
    ['a reason to stop, and no message_stop', [delta({ output_tokens: 2 })], true, false],
    ['the bound on tokens', [{ ...delta(), delta: { stop_reason: 'max_tokens' } }], true, false],
    ['a delta without a reason', [{ type: 'message_delta', delta: { stop_reason: null } }], false, false],
    ['nothing', [], false, false],
    ['an error', [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }], false, true],
    ['an error without a type', [{ error: { message: 'no' } }], false, true],
    ['text that looks like an event', [text('{"type":"message_stop"} "error"')], false, false],
    ['a tool that is called error', [{ type: 'content_block_start', content_block: { name: 'error' } }], false, false],
  ])('%s', (_, frames, sawEnd, failed) => {
    expect(stream(first, ...frames)).toMatchObject({ sawEnd, failed });
  });
});

describe('text', () => {
  test('each block is a text of its own, however the deltas come', () => {
    const reading = stream(
      block({ type: 'thinking_delta', thinking: 'H' }),
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't1', name: 'get', input: {} } },
      block({ type: 'input_json_delta', partial_json: '{"a":' }, 1),
      block({ type: 'thinking_delta', thinking: 'm' }),
      block({ type: 'signature_delta', signature: 'AAAA' }),
      block({ type: 'input_json_delta', partial_json: '1}' }, 1),
      block({ type: 'text_delta', text: 'Grüße ' }, 2),
      block({ type: 'text_delta', text: 'an alle' }, 2),
    );
    expect(reading.outputText().parts).toEqual(['Hm', 'get', '{"a":1}', 'Grüße an alle']);
  });

  test('what comes whole with the start of a block: tool results, and calls as some servers send them', () => {
    const result = {
      type: 'web_search_tool_result',
      content: [{ type: 'web_search_result', title: 'Ada', url: 'https://a.example', encrypted_content: 'AAAA' }],
    };
    const call = { type: 'tool_use', name: 'get', input: { city: 'Rome' } };
    const reading = stream(
      { type: 'content_block_start', index: 0, content_block: result },
      { type: 'content_block_start', index: 1, content_block: call },
    );
    expect(reading.outputText().parts).toEqual(['Ada\n', 'get', 'city: Rome\n']);
  });
});
