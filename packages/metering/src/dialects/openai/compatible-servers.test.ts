import { makeUsage, type Usage } from '@agp/pricing';
import { describe, expect, test } from 'vitest';
import { type Frame, findOperation, readStream } from '../../../test/find-operation.ts';

const chat = findOperation('/v1/chat/completions');
const responses = findOperation('/v1/responses');
const embeddings = findOperation('/v1/embeddings');

/** Usage as servers report it, and its meaning, worked out by hand from their documentation. */
const table: [string, object, Partial<Usage>][] = [
  [
    'OpenAI',
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, cache_write_tokens: 50, audio_tokens: 0, image_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 12, rejected_prediction_tokens: 4 },
    },
    {
      promptTokens: 2006,
      completionTokens: 300,
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
      prompt_tokens: 100,
      completion_tokens: 40,
      total_tokens: 140,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
      completion_tokens_details: { reasoning_tokens: 25 },
    },
    { promptTokens: 100, completionTokens: 40, cacheReadTokens: 64, reasoningTokens: 25 },
  ],
  [
    'xAI: reasoning separate from the output, and in the total',
    {
      prompt_tokens: 10_120,
      completion_tokens: 1_499,
      total_tokens: 14_428,
      prompt_tokens_details: { text_tokens: 10_120, cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2_809 },
      num_sources_used: 0,
      cost_in_usd_ticks: 232_856_000,
    },
    { promptTokens: 10_120, completionTokens: 4_308, cacheReadTokens: 128, reasoningTokens: 2_809 },
  ],
  [
    'Gemini, compatible path: thoughts in the total alone',
    { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 },
    { promptTokens: 20, completionTokens: 603, reasoningTokens: 405 },
  ],
  [
    'Gemini by way of a gateway: nothing but thoughts',
    {
      prompt_tokens: 21,
      completion_tokens: 0,
      total_tokens: 81,
      completion_tokens_details: { reasoning_tokens: 60 },
    },
    { promptTokens: 21, completionTokens: 60, reasoningTokens: 60 },
  ],
  [
    'Moonshot: cached input without details',
    { prompt_tokens: 2989, completion_tokens: 11, total_tokens: 3000, cached_tokens: 2989 },
    { promptTokens: 2989, completionTokens: 11, cacheReadTokens: 2989 },
  ],
  [
    'SGLang: reasoning on top, and in the output',
    { prompt_tokens: 9, completion_tokens: 50, total_tokens: 59, reasoning_tokens: 30, prompt_tokens_details: null },
    { promptTokens: 9, completionTokens: 50, reasoningTokens: 30 },
  ],
  [
    'Perplexity: citations and reasoning in no total',
    {
      prompt_tokens: 108,
      completion_tokens: 3256,
      total_tokens: 3364,
      citation_tokens: 7299,
      num_search_queries: 74,
      reasoning_tokens: 73_248,
      search_context_size: 'low',
      cost: { total_cost: 0.6 },
    },
    { promptTokens: 7407, completionTokens: 76_504, reasoningTokens: 73_248, webSearches: 74 },
  ],
  [
    'OpenRouter: its own cost, and searches',
    {
      prompt_tokens: 50,
      completion_tokens: 6,
      total_tokens: 56,
      cost: 0.00014,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0, video_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 2 },
      server_tool_use: { web_search_requests: 3 },
    },
    { promptTokens: 50, completionTokens: 6, inputVideoTokens: 8, outputImageTokens: 2, webSearches: 3 },
  ],
  [
    'Mistral: audio by the second',
    { prompt_tokens: 4, completion_tokens: 635, total_tokens: 639, prompt_audio_seconds: 203 },
    { promptTokens: 4, completionTokens: 635, inputAudioSeconds: 203 },
  ],
  [
    'Alibaba: what was written to the cache',
    {
      prompt_tokens: 3019,
      completion_tokens: 104,
      total_tokens: 3123,
      prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 2048 },
    },
    { promptTokens: 3019, completionTokens: 104, cacheWriteTokens: 2048 },
  ],
  [
    'Groq: times among the figures',
    { queue_time: 0.05, prompt_tokens: 23, prompt_time: 0.006, completion_tokens: 19, total_tokens: 42, total_time: 1 },
    { promptTokens: 23, completionTokens: 19 },
  ],
  ['no total', { prompt_tokens: 3, completion_tokens: 4 }, { promptTokens: 3, completionTokens: 4 }],
  [
    'a total of null',
    { prompt_tokens: 3, completion_tokens: 4, total_tokens: null },
    { promptTokens: 3, completionTokens: 4 },
  ],
  [
    'an invalid total',
    { prompt_tokens: 3, completion_tokens: 4, total_tokens: 'many' },
    { promptTokens: 3, completionTokens: 4 },
  ],
  ['no output', { prompt_tokens: 3 }, { promptTokens: 3 }],
  ['the output in the total alone', { prompt_tokens: 3, total_tokens: 7 }, { promptTokens: 3, completionTokens: 4 }],
  ['the input in the total alone', { completion_tokens: 4, total_tokens: 7 }, { promptTokens: 3, completionTokens: 4 }],
  [
    'strings',
    { prompt_tokens: '3', completion_tokens: '4', total_tokens: '7' },
    { promptTokens: 3, completionTokens: 4 },
  ],
  [
    'fractions, whose sum is no sign of more output',
    { prompt_tokens: 10.9, completion_tokens: 5.2, total_tokens: 16.1 },
    { promptTokens: 10, completionTokens: 5 },
  ],
  [
    'a total that is too small',
    { prompt_tokens: 3, completion_tokens: 4, total_tokens: 1 },
    { promptTokens: 3, completionTokens: 4 },
  ],
  ["the other API's names", { input_tokens: 3, output_tokens: 4 }, { promptTokens: 3, completionTokens: 4 }],
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
