import { expect, test } from 'vitest';
import { type Answered, lenient, measure, sse } from '../../test/measure-call.ts';
import { openMetering } from '../../test/open-metering.ts';

const strict = openMetering({ isStrict: true });
const chat = { model: 'gpt-5.4', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 };
const told = { model: 'gpt-5.4', choices: [], usage: { prompt_tokens: 3_000, completion_tokens: 500 } };
const gemini = {
  modelVersion: 'gemini-2.5-flash',
  candidates: [{ finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 100, trafficType: 'ON_DEMAND_PRIORITY' },
};
const ofClaude = (more: object) => ({ input_tokens: 1_000, output_tokens: 100, service_tier: 'standard', ...more });
const opus = (usage: object) => ({ model: 'claude-opus-4-7', content: [{}], stop_reason: 'end_turn', usage });
const claude = { model: 'claude-opus-4-7', max_tokens: 9, messages: [] };
const streamed = (more: object) =>
  sse(
    { type: 'message_start', message: { model: 'claude-opus-4-7', usage: ofClaude(more) } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 100 } },
  );
const line = (more: object) => JSON.stringify({ result: { type: 'succeeded', message: opus(ofClaude(more)) } });
const generate = '/v1beta/models/gemini-2.5-flash:generateContent';

test.each<[string, string, object, Answered, number, string]>([
  [
    '/v1/chat/completions',
    'openai',
    chat,
    { body: { ...told, service_tier: 'priority' } },
    3_000 * 5_000 + 500 * 30_000,
    'priority at 2 times',
  ],
  [
    '/v1/chat/completions',
    'openai',
    chat,
    { body: { ...told, service_tier: 'flex' } },
    1_500 * 2_500 + 250 * 15_000,
    'flex at half',
  ],
  [
    '/v1/chat/completions',
    'openai',
    { ...chat, service_tier: 'priority' },
    { body: told },
    3_000 * 5_000 + 500 * 30_000,
    'priority at 2 times',
  ],
  [generate, 'gemini', {}, { body: gemini }, 1_000 * 540 + 100 * 4_500, 'priority at 1.8 times'],
  [
    '/v1/messages',
    'anthropic',
    claude,
    { body: opus(ofClaude({ inference_geo: 'us' })) },
    1_000 * 5_500 + 100 * 27_500,
    'geo_us at 1.1 times',
  ],
  [
    '/v1/messages',
    'anthropic',
    claude,
    { body: opus(ofClaude({ speed: 'fast' })) },
    1_000 * 30_000 + 100 * 150_000,
    'fast at 6 times',
  ],
  [
    '/v1/messages',
    'anthropic',
    claude,
    streamed({ speed: 'fast', inference_geo: 'us' }),
    1_000 * 33_000 + 100 * 165_000,
    'fast at 6 times, geo_us at 1.1 times',
  ],
  [
    generate,
    'gemini',
    {},
    {
      headers: { 'x-gemini-service-tier': 'priority' },
      body: { ...gemini, usageMetadata: { ...gemini.usageMetadata, trafficType: undefined } },
    },
    1_000 * 540 + 100 * 4_500,
    'priority at 1.8 times',
  ],
])('%s of %s, asked for %j, costs its tier', async (path, provider, body, answer, costNanoUsd, mark) => {
  const bill = await measure(path, body, answer, lenient, provider);
  expect(bill).toMatchObject({ costNanoUsd, usageSource: 'provider' });
  expect(bill.priceVersion).toContain(`, ${mark}`);
});

test('a line of a batch has its own place', async () => {
  const head = [
    '/v1/messages/batches/b/results',
    {},
    { body: `${line({})}\n${line({ inference_geo: 'us' })}\n` },
  ] as const;
  const { costNanoUsd } = await measure(...head, lenient, 'anthropic', { method: 'GET' });
  expect(costNanoUsd).toBe((1_000 * 5_000 + 100 * 25_000) / 2 + (1_000 * 5_500 + 100 * 27_500) / 2);
});

test('a reservation is for the tier asked for', async () => {
  const reserve = async (body: object, metering = lenient, provider = 'openai', path = '/v1/chat/completions') =>
    (await measure(path, body, { body: {} }, metering, provider)).reserved;
  for (const metering of [lenient, strict]) {
    const plain = await reserve({ ...chat, service_tier: 'default' }, metering);
    expect((await reserve({ ...chat, service_tier: 'priority' }, metering)) / plain).toBeCloseTo(2, 1);
    const messages = (more: object) => reserve({ ...claude, ...more }, metering, 'anthropic', '/v1/messages');
    expect((await messages({ inference_geo: 'us' })) / (await messages({}))).toBeGreaterThan(1.09);
    expect((await messages({ speed: 'fast' })) / (await messages({}))).toBeGreaterThan(5.9);
  }
});
