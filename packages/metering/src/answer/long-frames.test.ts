import { expect, test } from 'vitest';
import { type Answered, measure } from '../../test/measure-call.ts';

const picture = 'A'.repeat(2_800_000);
const pictures = [1, 2, 3].map(() => ({ type: 'image_generation_call', status: 'completed', result: picture }));
const stream = (...events: { type?: string; event_type?: string }[]) => ({
  contentType: 'text/event-stream',
  body: events.map((data) => `event: ${data.type ?? data.event_type}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
});

const usage = { input_tokens: 2_000, output_tokens: 500, total_tokens: 2_500 };
const image_gen = {
  input_tokens: 50,
  output_tokens: 3_168,
  output_tokens_details: { image_tokens: 3_168, text_tokens: 0 },
};
const created = { type: 'response.created', response: { model: 'gpt-5.4', output: [], usage: null } };
const response = {
  model: 'gpt-5.4',
  service_tier: 'default',
  output: pictures,
  tools: [{ type: 'image_generation', model: 'gpt-image-1.5' }],
  tool_usage: { image_gen, web_search: { num_requests: 0 } },
  usage,
  // What the agent gave itself is no figure.
  metadata: { usage: 'none', model: 'tiny' },
};
const ofResponse = 2_000 * 2_500 + 500 * 15_000 + 50 * 5_000 + 3_168 * 32_000;

const drawn = { b64_json: picture.repeat(3), usage: { input_tokens: 50, output_tokens: 1_056, total_tokens: 1_106 } };
const ofImage = 50 * 5_000 + 1_056 * 32_000;

const parts = [
  { inlineData: { mimeType: 'image/png', data: picture.repeat(3) } },
  { text: 'So "finishReason": "MAX"' },
];
const content = {
  candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0 }],
  usageMetadata: {
    promptTokenCount: 100,
    candidatesTokenCount: 1_290,
    totalTokenCount: 1_390,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
  },
  modelVersion: 'gemini-2.5-flash-image',
};
const ofContent = 100 * 300 + 1_290 * 30_000;
const gemini = '/v1beta/models/gemini-2.5-flash-image:streamGenerateContent';

const interaction = {
  model: 'gemini-2.5-flash',
  steps: [{ type: 'model_output', content: [{ type: 'image', data: picture.repeat(3) }] }],
  usage: { total_input_tokens: 100, total_output_tokens: 20, total_tokens: 120 },
};
const begun = { interaction: { model: 'gemini-2.5-flash' } };
const chunk = {
  model: 'gpt-4o-mini',
  choices: [{ delta: { images: [{ image_url: { url: picture.repeat(3) } }] }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 500 },
};

test.each<[string, string, string, Answered, number]>([
  [
    'a response',
    'openai',
    '/v1/responses',
    stream(created, { type: 'response.completed', response, sequence_number: 9 } as object),
    ofResponse,
  ],
  ['a picture', 'openai', '/v1/images/generations', stream({ type: 'image_generation.completed', ...drawn }), ofImage],
  [
    'a content',
    'gemini',
    gemini,
    { contentType: 'text/event-stream', body: `data: ${JSON.stringify(content)}\r\n\r\n` },
    ofContent,
  ],
  ['a list of contents', 'gemini', gemini, { body: `[${JSON.stringify(content)}\n]` }, ofContent],
  [
    'an interaction',
    'gemini',
    '/v1beta/interactions',
    stream({ ...begun, event_type: 'interaction.created' }, {
      event_type: 'interaction.completed',
      interaction,
    } as object),
    100 * 300 + 20 * 2_500,
  ],
  [
    'a chat',
    'openai',
    '/v1/chat/completions',
    { contentType: 'text/event-stream', body: `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n` },
    9 * 150 + 500 * 600,
  ],
])(
  '%s whose last event is over 8 MiB costs what its figures say',
  async (_what, provider, path, answer, costNanoUsd) => {
    const body = { model: path.includes('images') ? 'gpt-image-1.5' : 'gpt-5.4', input: 'Hi', stream: true };
    const bill = await measure(path, body, answer, undefined, provider);
    expect(bill).toMatchObject({ costNanoUsd, usageSource: 'provider', outcome: 'completed', doubt: null });
  },
);
