import { makeUsage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { anthropic } from './operations.ts';

const operation = (path: string) => anthropic.match(path, 'POST') as Operation;
const messages = operation('/v1/messages');

const request = {
  model: 'claude-opus-4-5',
  stream: true,
  max_tokens: 1024,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] },
    {
      role: 'user',
      content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Dear Ada' } }],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'get', input: { city: 'Rome' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'sunny' }] },
  ],
};
const requestText = ['Be brief.', 'Hi', 'Dear Ada', 'get', 'city: Rome', 'sunny'];

describe('requests', () => {
  test('model, stream, bound and text', () => {
    const reading = messages.readRequest(request, '/v1/messages');
    expect(reading).toMatchObject({ requestedModel: 'claude-opus-4-5', stream: true });
    expect(reading.inputText()).toEqual({ parts: requestText, whole: true });
  });

  test('counting tokens is free, and its text is read', () => {
    const counting = operation('/v1/messages/count_tokens');
    expect(counting.isFree).toBe(true);
    expect(counting.readRequest(request, '').inputText().parts).toEqual(requestText);
    expect(counting.readAnswer({ input_tokens: 14 })).toMatchObject({ model: null, usage: null });
  });

  test.each([':rawPredict', '%3AstreamRawPredict'])('the model in a path of Vertex AI, %s', (verb) => {
    const path = `/v1/projects/p/locations/global/publishers/anthropic/models/claude-opus-4-5@20251101${verb}`;
    const reading = operation(path).readRequest({ anthropic_version: 'vertex-2023-10-16' }, path);
    expect(reading.requestedModel).toBe('claude-opus-4-5@20251101');
  });
});

/** input_tokens leaves out both cache figures, so all input is 21 + 1000 + 188086. */
const cachedUsage = {
  input_tokens: 21,
  cache_creation_input_tokens: 1000,
  cache_read_input_tokens: 188086,
  cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 600 },
  output_tokens: 393,
  service_tier: 'standard',
};

describe('answers', () => {
  test.each([
    ['plain', { input_tokens: 12, output_tokens: 6 }, { promptTokens: 12, completionTokens: 6 }],
    [
      'cache figures of null',
      { input_tokens: 12, output_tokens: 6, cache_creation_input_tokens: null, cache_read_input_tokens: null },
      { promptTokens: 12, completionTokens: 6 },
    ],
    [
      'cache written for two lifetimes, and read',
      cachedUsage,
      {
        promptTokens: 189107,
        completionTokens: 393,
        cacheReadTokens: 188086,
        cacheWriteTokens: 1000,
        cacheWrite1hTokens: 600,
      },
    ],
    [
      'all of the input from the cache',
      { input_tokens: 0, cache_read_input_tokens: 2048, output_tokens: 5 },
      { promptTokens: 2048, completionTokens: 5, cacheReadTokens: 2048 },
    ],
    [
      'web searches',
      { input_tokens: 105, output_tokens: 6039, server_tool_use: { web_search_requests: 2, web_fetch_requests: 9 } },
      { promptTokens: 105, completionTokens: 6039, webSearches: 2 },
    ],
    [
      'thinking',
      { input_tokens: 40, output_tokens: 900, output_tokens_details: { thinking_tokens: 700 } },
      { promptTokens: 40, completionTokens: 900, reasoningTokens: 700 },
    ],
  ])('%s', (_, usage, expected) => {
    expect(messages.readAnswer({ model: 'm', usage }).usage).toEqual(makeUsage(expected));
  });

  test.each([
    [null],
    [{ output_tokens: 1 }],
    [{ input_tokens: 1 }],
    [{ input_tokens: 0, output_tokens: 0 }],
    [{ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: -5 }],
    [{ input_tokens: 1e9, output_tokens: 1, cache_read_input_tokens: 1e9 }],
  ])('usage of %j is not used', (usage) => {
    expect(messages.readAnswer({ usage }).usage).toBeNull();
  });

  test.each([
    [{ service_tier: 'priority' }, 'priority'],
    [{ service_tier: 'standard', speed: 'standard' }, 'standard'],
    [{ service_tier: 'standard', speed: 'fast' }, 'fast'],
    [{ service_tier: 'standard', inference_geo: 'us' }, 'standard+geo_us'],
    [{ speed: 'fast', service_tier: 'standard', inference_geo: 'us' }, 'fast+geo_us'],
    [{ inference_geo: 'global' }, null],
    [{}, null],
  ])('the tier of %j is %s', (figures, tier) => {
    const usage = { input_tokens: 1, output_tokens: 1, ...figures };
    expect(messages.readAnswer({ model: 'm', usage }).serviceTier).toBe(tier);
  });

  test('a summary of the context and the advice of another model are calls of their own', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
      { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
      { type: 'advisor_message', model: 'big', input_tokens: 800, cache_read_input_tokens: 200, output_tokens: 50 },
    ];
    const reading = messages.readAnswer({
      model: 'small',
      usage: { input_tokens: 23_000, output_tokens: 1_000, iterations },
    });
    expect(reading.calls).toEqual([
      { model: 'small', usage: makeUsage({ promptTokens: 23_000, completionTokens: 1_000 }) },
      { model: 'small', usage: makeUsage({ promptTokens: 180_000, completionTokens: 3_500 }) },
      { model: 'big', usage: makeUsage({ promptTokens: 1_000, completionTokens: 50, cacheReadTokens: 200 }) },
    ]);
    expect(reading.usage).toEqual(makeUsage({ promptTokens: 204_000, completionTokens: 4_550, cacheReadTokens: 200 }));
  });

  const [declined, served] = [
    (output_tokens: number) => ({ type: 'message', model: 'first', input_tokens: 400, output_tokens }),
    { type: 'fallback_message', model: 'second', input_tokens: 500, output_tokens: 60 },
  ];
  const call = (model: string, promptTokens: number, completionTokens: number, webSearches = 0) => ({
    model,
    usage: makeUsage({ promptTokens, completionTokens, webSearches }),
  });
  const search = { server_tool_use: { web_search_requests: 1 } };
  test.each<[string, object, object[], object[]]>([
    ['before any output, which is free', {}, [declined(0), served], [call('second', 500, 60)]],
    ['in the middle', search, [declined(30), served], [call('first', 400, 30), call('second', 500, 60, 1)]],
    [
      'and the figures are of both',
      { input_tokens: 900, output_tokens: 90 },
      [declined(30), served],
      [call('first', 400, 30), call('second', 500, 60)],
    ],
    [
      'and the run that served is not listed',
      {},
      [declined(30), { ...served, output_tokens: 1 }],
      [call('second', 500, 60), call('first', 400, 30)],
    ],
  ])('a model declines %s, and another serves', (_, more, iterations, calls) => {
    const usage = { input_tokens: 500, output_tokens: 60, ...more, iterations };
    expect(messages.readAnswer({ model: 'second', content: [{}], usage }).calls).toEqual(calls);
  });

  test('each run of a loop of tools is billed for what it read', () => {
    const run = (input_tokens: number) => ({ type: 'message', input_tokens, output_tokens: 20 });
    const usage = { input_tokens: 400, output_tokens: 40, iterations: [run(400), run(900)] };
    const { calls } = messages.readAnswer({ model: 'm', usage });
    expect(calls).toEqual([call('m', 400, 20), call('m', 900, 20)]);
  });

  test('model and text', () => {
    const reading = messages.readAnswer({
      model: 'claude-opus-4-5-20251101',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'AAAA' },
        { type: 'redacted_thinking', data: 'AAAA' },
        { type: 'text', text: 'Yes.' },
        { type: 'tool_use', id: 't1', name: 'get', input: { city: 'Rome', zip: 184 } },
        {
          type: 'bash_code_execution_tool_result',
          tool_use_id: 't2',
          content: { type: 'bash_code_execution_result', stdout: 'ada@example.com', stderr: '', return_code: 0 },
        },
      ],
    });
    expect(reading.model).toBe('claude-opus-4-5-20251101');
    expect(reading.outputText().parts).toEqual(['Hm.', 'Yes.', 'get', 'city: Rome', 'zip: 184', 'ada@example.com']);
  });
});
