import { expect, test } from 'vitest';
import { findOperation } from '../../test/find-operation.ts';
import { type Answered, measure } from '../../test/measure-call.ts';
import { hasMoreValues } from '../json/members.ts';
import { openAnswerPipe } from './answer-pipe.ts';
import { maxPart } from './reading.ts';

const picture = 'A'.repeat(2_800_000);
const stream = (...events: object[]) => ({
  contentType: 'text/event-stream',
  body: events.map((data) => `event: ${'type' in data ? data.type : ''}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
});

const details = { image_tokens: 3_168, text_tokens: 0 };
const response = {
  model: 'gpt-5.4',
  output: [1, 2, 3].map(() => ({ type: 'image_generation_call', status: 'completed', result: picture })),
  tools: [{ type: 'image_generation', model: 'gpt-image-1.5' }],
  tool_usage: { image_gen: { input_tokens: 50, output_tokens: 3_168, output_tokens_details: details } },
  usage: { input_tokens: 2_000, output_tokens: 500, total_tokens: 2_500 },
  // What the agent gave itself is no figure.
  metadata: { usage: 'none', model: 'tiny' },
};
const created = { type: 'response.created', response: { model: 'gpt-5.4', output: [], usage: null } };
const completed = { type: 'response.completed', response, sequence_number: 9 };

const usage = { input_tokens: 50, output_tokens: 1_056, total_tokens: 1_106 };
const drawn = { type: 'image_generation.completed', b64_json: picture.repeat(3), usage };

const parts = [{ inlineData: { data: picture.repeat(3) } }, { text: 'So "finishReason": "MAX"' }];
const candidatesTokensDetails = [{ modality: 'IMAGE', tokenCount: 1_290 }];
const content = {
  candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 1_290, candidatesTokensDetails },
  modelVersion: 'gemini-2.5-flash-image',
};
const interaction = {
  steps: [{ type: 'model_output', content: [{ type: 'image', data: picture.repeat(3) }] }],
  usage: { total_input_tokens: 100, total_output_tokens: 20, total_tokens: 120 },
};
const interactions = [
  { event_type: 'interaction.created', interaction: { model: 'gemini-2.5-flash' } },
  { event_type: 'interaction.completed', interaction },
];
const chunk = {
  model: 'gpt-4o-mini',
  choices: [{ delta: { images: [{ image_url: { url: picture.repeat(3) } }] }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 500 },
};

const images = '/v1beta/models/gemini-2.5-flash-image:streamGenerateContent';
const ofResponse = 2_000 * 2_500 + 500 * 15_000 + 50 * 5_000 + 3_168 * 32_000;
test.each<['openai' | 'gemini', string, Answered, number]>([
  ['openai', '/v1/responses', stream(created, completed), ofResponse],
  ['openai', '/v1/images/generations', stream(drawn), 50 * 5_000 + 1_056 * 32_000],
  ['openai', '/v1/chat/completions', stream(chunk), 9 * 150 + 500 * 600],
  ['gemini', images, stream(content), 100 * 300 + 1_290 * 30_000],
  ['gemini', images, { body: `[${JSON.stringify(content)}\n]` }, 100 * 300 + 1_290 * 30_000],
  ['gemini', '/v1beta/interactions', stream(...interactions), 100 * 300 + 20 * 2_500],
])(
  'an event of over 8 MiB at the end costs what its figures say: %s %s',
  async (provider, path, answer, costNanoUsd) => {
    const body = { model: path.includes('images') ? 'gpt-image-1.5' : 'gpt-5.4', input: 'Hi', stream: true };
    const bill = await measure(path, body, answer, undefined, provider);
    expect(bill).toMatchObject({ costNanoUsd, usageSource: 'provider', outcome: 'completed', doubt: null });
  },
);

test.each([1_000, 60_000, 200_000])('nothing passes of a frame that is %i bytes too long to be judged', (more) => {
  const operation = findOperation('/v1beta/models/m:streamGenerateContent', 'gemini');
  const judged: boolean[] = [];
  const allows = (names: object | null) => {
    judged.push(names !== null);
    return names !== null;
  };
  const pipe = openAnswerPipe(operation, { 'content-type': 'text/event-stream' }, { allows });
  const before = 'data: {"candidates":[{"content":{"parts":[{"inlineData":{"data":"';
  const frame = Buffer.from(`${before}${'A'.repeat(maxPart + more)}"}},{"functionCall":{"name":"a"}}]}}]}\n\n`);
  let passed = 0;
  for (let at = 0; at < frame.length; at += 65_536) passed += pipe.push(frame.subarray(at, at + 65_536)).length;
  expect(passed + pipe.end().length).toBe(0);
  expect(judged).toEqual([false]);
});

test('an event of too many values costs what its figures say, and is not parsed', async () => {
  const many = Object.fromEntries(Array.from({ length: 110_000 }, (_, at) => [`k${at}`, at]));
  const told = { model: 'gpt-4o-mini', choices: [], many, usage: { prompt_tokens: 9, completion_tokens: 500 } };
  const body = { model: 'gpt-4o-mini', messages: [], stream: true };
  const bill = await measure('/v1/chat/completions', body, stream(told), undefined, 'openai');
  expect(bill).toMatchObject({ costNanoUsd: 9 * 150 + 500 * 600, usageSource: 'provider' });
});

test('commas of a long text are no values', () => {
  expect(hasMoreValues(JSON.stringify({ text: 'a,"[{\\'.repeat(9_000) }), 20_000)).toBe(false);
  expect(hasMoreValues(JSON.stringify(Array(20_001).fill(1)), 20_000)).toBe(true);
  expect(hasMoreValues(`: "\ndata: ${JSON.stringify(Array(20_001).fill(1))}`, 20_000)).toBe(true);
  expect(hasMoreValues('""'.repeat(50_000) + ','.repeat(20_001), 20_000)).toBe(true);
});
