import { makeUsage, type Usage } from '@agp/catalogue';
import { describe, expect, test } from 'vitest';
import { type Frame, findOperation, readStream } from '../../../test/find-operation.ts';

const chat = findOperation('/v1/chat/completions');
const responses = findOperation('/v1/responses');
const embeddings = findOperation('/v1/embeddings');

const read = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens });
const said = (prompt_tokens: unknown, completion_tokens: unknown, total_tokens: unknown) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens,
});

const kept = { ephemeral_5m_input_tokens: 3_000, ephemeral_1h_input_tokens: 1_000 };
const claude = { ...read(5_013, 100), cacheReadTokens: 1_000, cacheWriteTokens: 4_000, cacheWrite1hTokens: 1_000 };

/** Usage as servers report it, and its meaning, worked out by hand from their documentation. */
const table: [string, object, Partial<Usage>][] = [
  [
    'OpenAI',
    {
      ...said(2006, 300, 2306),
      prompt_tokens_details: { cached_tokens: 1920, cache_write_tokens: 50, audio_tokens: 0, image_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 12, rejected_prediction_tokens: 4 },
    },
    {
      ...read(2006, 300),
      cacheReadTokens: 1920,
      cacheWriteTokens: 50,
      inputImageTokens: 30,
      reasoningTokens: 256,
      outputAudioTokens: 12,
    },
  ],
  [
    'DeepSeek: cached input under a name of its own',
    {
      ...said(100, 40, 140),
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
      completion_tokens_details: { reasoning_tokens: 25 },
    },
    { ...read(100, 40), cacheReadTokens: 64, reasoningTokens: 25 },
  ],
  [
    'xAI: reasoning separate from the output, and in the total',
    {
      ...said(10_120, 1_499, 14_428),
      prompt_tokens_details: { text_tokens: 10_120, cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2_809 },
      num_sources_used: 0,
      cost_in_usd_ticks: 232_856_000,
    },
    { ...read(10_120, 4_308), cacheReadTokens: 128, reasoningTokens: 2_809 },
  ],
  [
    'Gemini, compatible path: thoughts in the total alone',
    said(20, 198, 623),
    { ...read(20, 603), reasoningTokens: 405 },
  ],
  [
    'Gemini by way of a gateway: nothing but thoughts',
    { ...said(21, 0, 81), completion_tokens_details: { reasoning_tokens: 60 } },
    { ...read(21, 60), reasoningTokens: 60 },
  ],
  [
    'Moonshot: cached input without details',
    { ...said(2989, 11, 3000), cached_tokens: 2989 },
    { ...read(2989, 11), cacheReadTokens: 2989 },
  ],
  [
    'SGLang: reasoning on top, and in the output',
    { ...said(9, 50, 59), reasoning_tokens: 30, prompt_tokens_details: null },
    { ...read(9, 50), reasoningTokens: 30 },
  ],
  [
    'Perplexity: citations and reasoning in no total',
    {
      ...said(108, 3256, 3364),
      citation_tokens: 7299,
      num_search_queries: 74,
      reasoning_tokens: 73_248,
      search_context_size: 'low',
      cost: { total_cost: 0.6 },
    },
    { ...read(7407, 76_504), reasoningTokens: 73_248, webSearches: 74 },
  ],
  [
    'OpenRouter: its own cost, and searches',
    {
      ...said(50, 6, 56),
      cost: 0.00014,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0, video_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 2 },
      server_tool_use: { web_search_requests: 3 },
    },
    { ...read(50, 6), inputVideoTokens: 8, outputImageTokens: 2, webSearches: 3 },
  ],
  [
    'Mistral: audio by the second',
    { ...said(4, 635, 639), prompt_audio_seconds: 203 },
    { ...read(4, 635), inputAudioSeconds: 203 },
  ],
  [
    'Alibaba: what was written to the cache',
    { ...said(3019, 104, 3123), prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 2048 } },
    { ...read(3019, 104), cacheWriteTokens: 2048 },
  ],
  [
    'LiteLLM: caches of Claude by its names and by others',
    {
      ...said(5_013, 100, 5_113),
      prompt_tokens_details: { cached_tokens: 1_000, cache_creation_tokens: 4_000, cache_creation_token_details: kept },
      cache_read_input_tokens: 1_000,
      cache_creation_input_tokens: 4_000,
    },
    claude,
  ],
  [
    'Portkey: caches of Claude beside the input, and in the total',
    {
      ...said(13, 100, 5_113),
      cache_read_input_tokens: 1_000,
      cache_creation_input_tokens: 4_000,
      cache_creation: kept,
    },
    claude,
  ],
  [
    'Groq: times among the figures',
    { queue_time: 0.05, prompt_tokens: 23, prompt_time: 0.006, completion_tokens: 19, total_tokens: 42, total_time: 1 },
    read(23, 19),
  ],
  ['no total', { prompt_tokens: 3, completion_tokens: 4 }, read(3, 4)],
  ['a total of null', said(3, 4, null), read(3, 4)],
  ['an invalid total', said(3, 4, 'many'), read(3, 4)],
  ['no output', { prompt_tokens: 3 }, { promptTokens: 3 }],
  ['the output in the total alone', { prompt_tokens: 3, total_tokens: 7 }, read(3, 4)],
  ['the input in the total alone', { completion_tokens: 4, total_tokens: 7 }, read(3, 4)],
  ['strings', said('3', '4', '7'), read(3, 4)],
  ['fractions, whose sum is no sign of more output', said(10.9, 5.2, 16.1), read(10, 5)],
  ['a total that is too small', said(3, 4, 1), read(3, 4)],
  ["the other API's names", { input_tokens: 3, output_tokens: 4 }, read(3, 4)],
];

describe('usage', () => {
  test.each(table)('%s', (_, usage, expected) => {
    expect(chat.readAnswer({ usage }).usage).toEqual(makeUsage(expected));
    const streamed = readStream(chat, { model: 'm', choices: [], usage }, '[DONE]');
    expect(streamed).toMatchObject({ usage: makeUsage(expected), usageIsFinal: true });
    const response = { type: 'response.completed', response: { model: 'm', usage } };
    expect(readStream(responses, response).usage).toEqual(makeUsage(expected));
  });

  test('embeddings with only a total', () => {
    expect(embeddings.readAnswer({ usage: { total_tokens: 8 } }).usage).toEqual(makeUsage({ promptTokens: 8 }));
  });
});

const text = (content: string, rest: object = {}) => ({
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...rest,
});
const last = (rest: object = {}, choice: object = {}) => ({
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...choice }],
  ...rest,
});
const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const told = { usage: makeUsage({ promptTokens: 5, completionTokens: 2 }), usageIsFinal: true, sawEnd: true };

describe('ends of streams', () => {
  const ends: [string, Frame[], object][] = [
    ['Groq: x_groq in the last chunk', [text('a'), last({ x_groq: { id: 'req', usage } }), '[DONE]'], told],
    ['Moonshot: usage in the choice', [text('a'), last({}, { usage }), '[DONE]'], told],
    ['Mistral: usage in the chunk of the finish reason', [text('a'), last({ usage }), '[DONE]'], told],
    ['no [DONE], usage in the chunk of the finish reason', [text('a'), last({ usage })], told],
    ['no [DONE], usage in a chunk of its own', [text('a'), last(), { model: 'm', choices: [], usage }], told],
    ['OpenRouter: usage in a chunk with an empty delta', [text('a'), last(), text('', { usage }), '[DONE]'], told],
    [
      'vLLM: usage on every chunk',
      [text('a', { usage: { prompt_tokens: 5, completion_tokens: 1 } }), last({ usage })],
      told,
    ],
    [
      'vLLM: usage on every chunk, cut',
      [text('a', { usage })],
      { usage: told.usage, usageIsFinal: false, sawEnd: false },
    ],
    ['an end, and usage that never came', [text('a', { usage: null }), last()], { usage: null, sawEnd: true }],
    [
      'one of two choices ended',
      [last(), { model: 'm', choices: [{ index: 1, delta: { content: 'b' } }] }],
      { usage: null, sawEnd: false },
    ],
    [
      'both choices ended',
      [last(), { model: 'm', choices: [{ index: 1, delta: { content: 'b' } }] }, last({}, { index: 1 })],
      { sawEnd: true },
    ],
    ['Ollama: an empty finish reason on each chunk', [text('a'), last({}, { finish_reason: '' })], { sawEnd: false }],
    [
      'Azure: filter results without choices, and without a model',
      [{ model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }, text('a'), last(), '[DONE]'],
      { model: 'm', usage: null, sawEnd: true, failed: false },
    ],
    [
      'the tier of the last chunk',
      [text('a', { service_tier: 'auto' }), last({ usage, service_tier: 'flex' })],
      { serviceTier: 'flex' },
    ],
    ['text that looks like an end', [text('"finish_reason":"stop","error":{"a":1}')], { sawEnd: false, failed: false }],
  ];

  test.each(ends)('%s', (_, frames, expected) => {
    expect(readStream(chat, ...frames)).toMatchObject({ failed: false, ...expected });
  });
});

describe('errors in streams', () => {
  const errors: [string, Frame][] = [
    ['OpenAI', { error: { message: 'no', type: 'server_error' } }],
    ['a string', { error: 'no' }],
    ['vLLM, older', { object: 'error', message: 'no', type: 'BadRequestError', code: 400 }],
    ['OpenRouter', { model: 'm', error: { code: 502 }, choices: [{ delta: {}, finish_reason: 'error' }] }],
    [
      'OpenRouter, in the choice',
      { model: 'm', choices: [{ delta: {}, error: { code: 502 }, finish_reason: 'error' }] },
    ],
    ['Groq', { model: 'm', choices: [], x_groq: { error: 'no' } }],
    ['by type', { type: 'error', message: 'no' }],
    ["by the event's name", { event: 'error', data: { message: 'no' } }],
  ];

  test.each(errors)('%s', (_, frame) => {
    expect(readStream(chat, text('a'), frame, '[DONE]').failed).toBe(true);
    expect(readStream(chat, frame).failed).toBe(true);
  });

  test.each([[{ error: null }], [{ error: '' }]])('%j is not an error', (rest) => {
    expect(readStream(chat, text('a', rest), last(rest), '[DONE]').failed).toBe(false);
  });
});

test('Mistral fills in the middle, and answers like a chat', () => {
  const fim = findOperation('/v1/fim/completions');
  expect(fim.readRequest({ prompt: 'def f(', suffix: 'return x' }, '/').inputText().parts).toEqual([
    'def f(',
    'return x',
  ]);
  expect(fim.readAnswer({ choices: [{ message: { content: 'x):' } }], usage })).toMatchObject({ usage: told.usage });
  expect(readStream(fim, text('x):'), last({ usage })).outputText().parts).toEqual(['x):']);
});

describe('texts', () => {
  const answers: [string, object, string[]][] = [
    ['DeepSeek, vLLM: reasoning_content', { reasoning_content: 'Hm.', content: 'Yes.' }, ['Hm.', 'Yes.']],
    ['OpenRouter, vLLM: reasoning', { reasoning: 'Hm.', content: 'Yes.' }, ['Hm.', 'Yes.']],
    [
      'Mistral: parts, one of them thinking',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'Yes.' },
        ],
      },
      ['Hm.', 'Yes.'],
    ],
    [
      'a tool call without an index',
      { content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
      ['f', '{}'],
    ],
    ['sound that was written down', { content: null, audio: { id: 'a', data: 'AAAA', transcript: 'Yes.' } }, ['Yes.']],
  ];

  test.each(answers)('%s', (_, message, parts) => {
    expect(chat.readAnswer({ choices: [{ index: 0, message }] }).outputText()).toEqual({ parts, whole: true });
    const streamed = readStream(chat, { model: 'm', choices: [{ index: 0, delta: message }] });
    expect(streamed.outputText().parts.join('|').replaceAll('|', '')).toBe(parts.join(''));
  });
});
