import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answered, measure, sse } from '../measure-call.ts';
import { openMetering } from '../open-metering.ts';
import { chat, chatTokens, paths, tokens } from './row.ts';

const metering = openMetering({}, [{ provider: 'xai', model: 'grok-own', prices: { input_mtok: 1, output_mtok: 1 } }]);

/** What each dialect says of usage, with the lists and objects that it may hold, and how it is answered. */
const answers: Record<string, [vendor: string, path: string, usage: object, answer: (usage: object) => Answered]> = {};
const details = {
  prompt_tokens_details: { cached_tokens: 10, cached_tokens_details: { audio_tokens: 0 } },
  completion_tokens_details: { reasoning_tokens: 5 },
  server_tool_use: { web_search_requests: 1 },
};
const used = {
  ...tokens,
  input_tokens_details: { cached_tokens: 10 },
  server_side_tool_usage_details: { mcp_calls: 1 },
};
const choice = { delta: { content: 'Hi' }, finish_reason: 'stop' };
const event = (type: string, more: object) => sse({ type, ...more });
answers.chat = ['openai', paths.chat, { ...chatTokens, ...details }, (usage) => chat({ model: 'gpt-5' }, usage)];
answers['streamed chat'] = [
  'openai',
  paths.chat,
  { ...chatTokens, ...details },
  (usage) => sse({ model: 'gpt-5', choices: [choice] }, { model: 'gpt-5', choices: [], usage }),
];
answers.response = ['xai', paths.responses, used, (usage) => ({ body: { model: 'grok-4', output: [], usage } })];
answers['streamed response'] = [
  'openai',
  paths.responses,
  used,
  (usage) => event('response.completed', { response: { model: 'gpt-5', output: [], usage } }),
];
const tools = { web_search: { num_requests: 1 }, image_gen: { input_tokens: 1, output_tokens: 2 } };
answers['tools of a response'] = [
  'openai',
  paths.responses,
  tools,
  (tool_usage) => ({ body: { model: 'gpt-5', output: [], usage: tokens, tool_usage } }),
];
answers.images = ['openai', paths.images, tokens, (usage) => ({ body: { data: [{}], usage } })];
answers['streamed images'] = [
  'openai',
  paths.images,
  tokens,
  (usage) => event('image_generation.completed', { usage }),
];
answers.embeddings = [
  'openai',
  '/v1/embeddings',
  { prompt_tokens: 5, total_tokens: 5 },
  (usage) => ({ body: { usage } }),
];
answers.sound = [
  'mistral',
  paths.transcriptions,
  { ...chatTokens, prompt_audio_seconds: 4 },
  (usage) => ({ body: { text: 'Hi', usage } }),
];
answers['streamed sound'] = [
  'openai',
  paths.transcriptions,
  tokens,
  (usage) => event('transcript.text.done', { text: 'Hi', usage }),
];
answers.speech = ['openai', '/v1/audio/speech', tokens, (usage) => event('speech.audio.done', { usage })];
answers.pages = ['mistral', paths.ocr, { pages_processed: 3 }, (usage_info) => ({ body: { pages: [], usage_info } })];
answers.rerank = [
  'cohere',
  paths.rerank,
  { search_units: 1 },
  (billed_units) => ({ body: { meta: { billed_units } } }),
];

const counts = { input_tokens: 10, output_tokens: 5, cache_creation: { ephemeral_1h_input_tokens: 0 } };
const runs = { ...counts, iterations: [{ type: 'message', ...counts }], server_tool_use: { web_search_requests: 1 } };
const message = (usage: object) => ({ model: 'claude-opus-5', content: [{}], usage });
answers.message = ['anthropic', paths.messages, runs, (usage) => ({ body: message(usage) })];
answers['start of a message'] = [
  'anthropic',
  paths.messages,
  counts,
  (usage) =>
    sse(
      { type: 'message_start', message: message(usage) },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: counts },
    ),
];
answers['end of a message'] = [
  'anthropic',
  paths.messages,
  runs,
  (usage) =>
    sse(
      { type: 'message_start', message: message(counts) },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    ),
];

const figures = {
  promptTokenCount: 10,
  candidatesTokenCount: 5,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 10 }],
};
const content = (usageMetadata: object) => ({
  modelVersion: 'gemini-2.5-flash',
  candidates: [{ finishReason: 'STOP' }],
  usageMetadata,
});
answers.content = ['gemini', paths.content, figures, (usage) => ({ body: content(usage) })];
answers['streamed content'] = ['gemini', paths.stream, figures, (usage) => sse(content(usage))];
answers['array of content'] = ['gemini', paths.stream, figures, (usage) => ({ body: [content(usage)] })];
const sums = {
  total_input_tokens: 10,
  total_output_tokens: 5,
  grounding_tool_count: [{ type: 'google_search', count: 1 }],
};
answers.interaction = [
  'gemini',
  paths.interactions,
  sums,
  (usage) => ({ body: { model: 'gemini-3-flash-preview', usage } }),
];
answers['streamed interaction'] = [
  'gemini',
  paths.interactions,
  sums,
  (usage) => sse({ event_type: 'interaction.completed', interaction: { model: 'gemini-3-flash-preview', usage } }),
];

answers.video = ['openai', '/v1/videos', { cost: 1 }, (usage) => ({ body: { model: 'sora-2', seconds: '4', usage } })];
const batch = { id: 'b', status: 'completed', model: 'gpt-5', request_counts: { completed: 1 } };
answers.batch = ['openai', 'GET /v1/batches/b', tokens, (usage) => ({ body: { ...batch, usage } })];
const cache = {
  model: 'models/gemini-2.5-flash',
  createTime: '2026-11-01T00:00:00Z',
  expireTime: '2026-11-01T01:00:00Z',
};
answers.cache = [
  'gemini',
  '/v1beta/cachedContents',
  { totalTokenCount: 5_000 },
  (usageMetadata) => ({ body: { ...cache, usageMetadata } }),
];
answers.predictions = [
  'gemini',
  '/v1beta/models/imagen-4.0-generate-001:predict',
  { billableCharacterCount: 3 },
  (metadata) => ({ body: { predictions: [{ bytesBase64Encoded: 'AAAA' }], metadata } }),
];

function listPlaces(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.entries(value).flatMap(([name, member]) => listPlaces(member, [...path, name]));
  return Array.isArray(value) ? within : [path, ...within];
}

function put(value: object, [first, ...rest]: string[], name: string, figure: unknown): object {
  if (first === undefined) return { ...value, [name]: figure };
  const inner = put((value as Record<string, object>)[first] ?? {}, rest, name, figure);
  return Array.isArray(value)
    ? value.map((item, at) => (String(at) === first ? inner : item))
    : { ...value, [first]: inner };
}

const read = (vendor: string, path: string, answer: Answered) => {
  const asked = { model: 'asked', messages: [{ role: 'user', content: 'Hi' }], input: 'Hi' };
  const [target = path, method = 'POST'] = path.split(' ').reverse();
  return measure(target, asked, answer, metering, vendor, { isCapped: false, method });
};

test.each(Object.entries(answers))(
  'any figure of %s that is not understood is named, and no other',
  async (_name, row) => {
    const [vendor, path, usage, answer] = row;
    expect((await read(vendor, path, answer(usage))).unread).toEqual([]);
    const figure = fc.oneof(
      fc.integer({ min: 1 }),
      fc.double({ min: 1e-6, max: 1e300, noNaN: true }),
      fc.constantFrom(-1, '7', '0.5'),
    );
    const name = fc.stringMatching(/^[a-z][a-zA-Z_]{0,20}$/).map((text) => `x${text}`);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...listPlaces(usage)), name, figure, async (place, added, value) => {
        const { unread } = await read(vendor, path, answer(put(usage, place, added, value)));
        const whole = [...place, added].filter((part) => !/^\d+$/.test(part)).join('.');
        expect(unread).toEqual([whole]);
      }),
      { numRuns: 40 },
    );
  },
);

test.each<[unknown, string[]]>([
  [-1, ['cost']],
  [1e300, ['cost']],
  [20_000, ['cost']],
  [{ total_cost: 20_000 }, ['cost']],
  ['free', []],
  [true, []],
  [null, []],
  [[], []],
  [{ total_cost: -1 }, []],
  [{}, []],
])('a charge of %j is none: the list prices the call', async (cost, unread) => {
  const answer = chat({ model: 'openai/gpt-5' }, { cost });
  expect(await read('openrouter', paths.chat, answer)).toMatchObject({ costNanoUsd: 2_250_000, unread });
});

test('a charge without figures is the cost, beside what is estimated', async () => {
  const answer = { body: { text: 'Hi', usage: { cost: 0.25 } } };
  const charged = { costNanoUsd: 250_000_000, usageSource: 'estimated', priceVersion: 'charged by openrouter' };
  expect(await read('openrouter', paths.transcriptions, answer)).toMatchObject(charged);
});

test('a charge counts of those that send the bill, unless the operator has prices', async () => {
  const charged = (model: string) => chat({ model }, { cost: 0, cost_in_usd_ticks: 5_000_000_000 });
  expect(await read('xai', paths.chat, charged('grok-4'))).toMatchObject({
    costNanoUsd: 500_000_000,
    priceVersion: 'charged by x-ai',
  });
  expect(await read('xai', paths.chat, charged('grok-own'))).toMatchObject({ costNanoUsd: 1_100_000 });
  expect(await read('openai', paths.chat, charged('gpt-5'))).toMatchObject({ costNanoUsd: 2_250_000 });
  expect(await read('own', paths.chat, charged('tuned'))).toMatchObject({ unpriced: ['tuned'], priceVersion: null });
});

test('of results each line and each answer names its own', async () => {
  const line = (added: object) =>
    JSON.stringify({ result: { type: 'succeeded', message: message({ ...counts, ...added }) } });
  const file = { body: [line({ one: 1 }), line({ two: 2 })].join('\n') };
  expect((await read('anthropic', 'GET /v1/messages/batches/b/results', file)).unread).toEqual(['one', 'two']);
  const results = [{ one: 1 }, { two: 2 }].map((added) => ({ response: content({ ...figures, ...added }) }));
  const inlined = { body: { response: { inlinedResponses: { inlinedResponses: results } } } };
  expect((await read('gemini', 'GET /v1beta/batches/b', inlined)).unread).toEqual(['one', 'two']);
});
