import { makeUsage } from '@agp/core/pricing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchOperation } from '../match-operation.ts';
import type { StreamReading } from '../operation.ts';

const messages = matchOperation('anthropic', 'POST', '/v1/messages');
if (!messages) throw new Error('no operation');

function stream(...frames: ({ type: string } | string)[]): StreamReading {
  const reader = messages?.createStreamReader();
  for (const frame of frames) {
    const data = typeof frame === 'string' ? frame : JSON.stringify(frame);
    reader?.push(typeof frame === 'string' ? '' : frame.type, Buffer.from(data).toString('latin1'));
  }
  return reader?.end() as StreamReading;
}

test('a request: model, stream, bound and text', () => {
  const reading = messages.readRequest(
    {
      model: 'claude-opus-4-5',
      stream: true,
      max_tokens: 1024,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'sunny' }] },
      ],
    },
    '/v1/messages',
  );
  expect(reading).toMatchObject({ requestedModel: 'claude-opus-4-5', stream: true, maxOutputTokens: 1024 });
  expect(reading.inputText()).toBe('Be brief.\nHi\nsunny');
});

/** input_tokens leaves out both cache figures, so all input is 21 + 188086 + 1000. */
const cachedUsage = {
  input_tokens: 21,
  cache_creation_input_tokens: 1000,
  cache_read_input_tokens: 188086,
  cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 600 },
  output_tokens: 393,
  service_tier: 'standard',
};
const cachedUsageRead = makeUsage({
  promptTokens: 189107,
  completionTokens: 393,
  cacheReadTokens: 188086,
  cacheWriteTokens: 1000,
  cacheWrite1hTokens: 600,
});

describe('answers', () => {
  test.each([
    ['plain', { input_tokens: 12, output_tokens: 6 }, makeUsage({ promptTokens: 12, completionTokens: 6 })],
    [
      'cache figures of null',
      { input_tokens: 12, output_tokens: 6, cache_creation_input_tokens: null, cache_read_input_tokens: null },
      makeUsage({ promptTokens: 12, completionTokens: 6 }),
    ],
    ['cache written for two lifetimes, and read', cachedUsage, cachedUsageRead],
    [
      'web searches',
      { input_tokens: 105, output_tokens: 6039, server_tool_use: { web_search_requests: 2 } },
      makeUsage({ promptTokens: 105, completionTokens: 6039, webSearches: 2 }),
    ],
  ])('%s', (_, usage, expected) => {
    expect(messages.readAnswer({ model: 'm', usage }).usage).toEqual(expected);
  });

  test.each([
    [null],
    [{ output_tokens: 1 }],
    [{ input_tokens: 1 }],
    [{ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: -5 }],
    [{ input_tokens: 1e9, output_tokens: 1, cache_read_input_tokens: 1e9 }],
  ])('usage of %j is not used', (usage) => {
    expect(messages.readAnswer({ usage }).usage).toBeNull();
  });

  test('model and text', () => {
    const reading = messages.readAnswer({
      model: 'claude-opus-4-5-20251101',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'AAAA' },
        { type: 'text', text: 'Yes.' },
        { type: 'tool_use', id: 't1', name: 'get', input: { city: 'Rome' } },
      ],
    });
    expect(reading.model).toBe('claude-opus-4-5-20251101');
    expect(reading.outputText()).toBe('Hm.\nYes.\nget\nRome');
  });
});

describe('streams', () => {
  const start = (usage: object) => ({ type: 'message_start', message: { model: 'm-1', usage } });
  const text = (words: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: words },
  });
  const delta = (usage: object) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
  const stop = { type: 'message_stop' };

  test('the last figures replace the first ones', () => {
    const reading = stream(
      start({ input_tokens: 25, output_tokens: 1 }),
      { type: 'ping' },
      text('Grüße '),
      text('an alle'),
      delta({ output_tokens: 15 }),
      delta({ output_tokens: 30 }),
      stop,
    );
    expect(reading).toMatchObject({ model: 'm-1', usageIsFinal: true, sawEnd: true, failed: false });
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 25, completionTokens: 30 }));
    expect(reading.outputText()).toBe('Grüße an alle');
  });

  test('cache figures and their split by lifetime stand, when the delta says less or null', () => {
    const reading = stream(
      start({ ...cachedUsage, output_tokens: 1 }),
      delta({ input_tokens: 21, cache_read_input_tokens: null, cache_creation_input_tokens: 1000, output_tokens: 393 }),
      stop,
    );
    expect(reading.usage).toEqual(cachedUsageRead);
  });

  test('input that grows while server tools run is that of the delta', () => {
    const last = { input_tokens: 10682, output_tokens: 510, server_tool_use: { web_search_requests: 1 } };
    const reading = stream(start({ input_tokens: 2679, output_tokens: 3 }), delta(last), stop);
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 10682, completionTokens: 510, webSearches: 1 }));
  });

  test('a cut stream knows its input, and says that its output is not counted', () => {
    const reading = stream(start({ input_tokens: 25, output_tokens: 1 }), text('only '), text('this'), '{"type":"cont');
    expect(reading).toMatchObject({ usageIsFinal: false, sawEnd: false });
    expect(reading.usage?.promptTokens).toBe(25);
    expect(reading.outputText()).toBe('only this');
  });

  test('thinking and the input of tools are output', () => {
    const reading = stream(
      { type: 'content_block_start', content_block: { type: 'tool_use', id: 't1', name: 'get', input: {} } } as never,
      { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"a":1}' } } as never,
      { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'Hm' } } as never,
      { type: 'content_block_delta', delta: { type: 'signature_delta', signature: 'AAAA' } } as never,
    );
    expect(reading.outputText()).toBe('get{"a":1}Hm');
  });

  test('an error in the stream', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(stream(start({ input_tokens: 1, output_tokens: 1 }), error)).toMatchObject({ failed: true, sawEnd: false });
  });

  test('text that looks like an event is text', () => {
    const reading = stream(text('{"type":"message_stop"} "error"'));
    expect(reading).toMatchObject({ sawEnd: false, failed: false });
    expect(reading.outputText()).toBe('{"type":"message_stop"} "error"');
  });

  test('no frame makes the reader throw', () => {
    const type = fc.constantFrom('message_start', 'message_delta', 'content_block_delta', 'error', 'message_stop');
    const frame = fc.record({ type, usage: fc.jsonValue(), message: fc.jsonValue(), delta: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(fc.oneof(frame, fc.json(), fc.string({ unit: 'binary' }))), (frames) => {
        expect(typeof stream(...frames).outputText()).toBe('string');
      }),
    );
  });
});
