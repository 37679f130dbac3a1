import { expect, test } from 'vitest';
import { type Answered, lenient, measure, sse } from '../../test/measure-call.ts';
import { openMetering } from '../../test/open-metering.ts';
import { readTierHeader } from '../dialects/tier.ts';

const veo = '/v1beta/models/veo-3.1-generate-preview:predictLongRunning';

const chat = { model: 'gpt-5.4', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 };
const claude = { model: 'claude-opus-4-7', max_tokens: 9, messages: [] };
const ask = {
  chat: ['/v1/chat/completions', 'openai', chat],
  'priority chat': ['/v1/chat/completions', 'openai', { ...chat, service_tier: 'priority' }],
  Gemini: ['/v1beta/models/gemini-2.5-flash:generateContent', 'gemini', {}],
  Claude: ['/v1/messages', 'anthropic', claude],
} as const;

const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
const told = (more: object) => ({ body: { model: 'gpt-5.4', choices: [], usage, ...more } });
const figures = { promptTokenCount: 1_000, candidatesTokenCount: 100 };
const content = (trafficType?: string) => ({
  modelVersion: 'gemini-2.5-flash',
  candidates: [{ finishReason: 'STOP' }],
  usageMetadata: { ...figures, trafficType },
});
const ofClaude = (more: object) => ({ input_tokens: 1_000, output_tokens: 100, service_tier: 'standard', ...more });
const opus = (more: object) => ({ model: claude.model, content: [{}], usage: ofClaude(more) });
const streamed = (more: object) =>
  sse({ type: 'message_start', message: opus(more) }, { type: 'message_delta', usage: { output_tokens: 100 } });
const [us, fast] = [{ inference_geo: 'us' }, { speed: 'fast' }];
const headed = { headers: { 'x-gemini-service-tier': 'priority' }, body: content() };

/** Costs by the nano-dollars of a token of input and of output. */
test.each<[keyof typeof ask, string, Answered, number, number]>([
  ['chat', 'priority at 2 times', told({ service_tier: 'priority' }), 5_000, 30_000],
  ['chat', 'flex at half', told({ service_tier: 'flex' }), 1_250, 7_500],
  ['priority chat', 'priority at 2 times', told({}), 5_000, 30_000],
  ['Gemini', 'priority at 1.8 times', { body: content('ON_DEMAND_PRIORITY') }, 540, 4_500],
  ['Gemini', 'priority at 1.8 times', headed, 540, 4_500],
  ['Claude', 'geo_us at 1.1 times', { body: opus(us) }, 5_500, 27_500],
  ['Claude', 'fast at 6 times', { body: opus(fast) }, 30_000, 150_000],
  ['Claude', 'fast at 6 times, geo_us at 1.1 times', streamed({ ...fast, ...us }), 33_000, 165_000],
])('%s: %s', async (asked, mark, answer, input, output) => {
  const [path, provider, body] = ask[asked];
  const bill = await measure(path, body, answer, lenient, provider);
  expect(bill).toMatchObject({ costNanoUsd: 1_000 * input + 100 * output, usageSource: 'provider' });
  expect(bill.priceVersion).toContain(`, ${mark}`);
});

test('a line of a batch has its own place', async () => {
  const line = (more: object) => `${JSON.stringify({ result: { type: 'succeeded', message: opus(more) } })}\n`;
  const results = { body: line({}) + line(us) };
  const path = '/v1/messages/batches/b/results';
  const { costNanoUsd } = await measure(path, {}, results, lenient, 'anthropic', { method: 'GET' });
  expect(costNanoUsd).toBe((1_000 * 5_000 + 100 * 25_000) / 2 + (1_000 * 5_500 + 100 * 27_500) / 2);
});

test.each([false, true])('a reservation is for the tier asked for; strict caps: %j', async (isStrict) => {
  const metering = openMetering({ isStrict });
  const reserve = async (asked: keyof typeof ask, more = {}) => {
    const [path, provider, body] = ask[asked];
    return (await measure(path, { ...body, ...more }, { body: {} }, metering, provider)).reserved;
  };
  expect((await reserve('priority chat')) / (await reserve('chat'))).toBeGreaterThanOrEqual(2);
  expect((await reserve('Claude', us)) / (await reserve('Claude'))).toBeGreaterThan(1.09);
  expect((await reserve('Claude', fast)) / (await reserve('Claude'))).toBeGreaterThan(5.9);
});

test.each(['a+flex', 'flex+flex', 'service_tier_service_tier_flex', 'constructor', '__proto__'])(
  'an agent that asks for %j pays no less',
  async (tier) => {
    const price = {
      model: 'own',
      prices: { input_mtok: 2, output_mtok: 8 },
      service_tiers: { priority: { input_mtok: 9 } },
    };
    const metering = openMetering({}, [price]);
    const pay = async (model: string, { service_tier }: { service_tier?: string }, serviceTier: string | null) => {
      const asked = { ...chat, model, service_tier };
      const answer = { body: { model, choices: [], usage } };
      const bill = await measure('/v1/chat/completions', asked, answer, metering, 'openai', { serviceTier });
      return [bill.costNanoUsd, bill.reserved];
    };
    for (const model of ['gpt-5.4', 'own']) {
      const plain = await pay(model, {}, null);
      expect(plain[0]).toBeGreaterThan(0);
      const [cost, reserved = 0] = await pay(model, { service_tier: tier }, null);
      expect(cost).toBe(plain[0]);
      expect(reserved).toBeGreaterThanOrEqual(plain[1] ?? 0);
      expect(await pay(model, {}, readTierHeader({ 'x-amzn-bedrock-service-tier': tier }))).toEqual(plain);
    }
  },
);

test.each([
  ['openai', '/v1/videos', { model: 'sora-2', seconds: '8' }, { service_tier: 'constructor' }],
  ['openai', '/v1/videos', { model: 'sora-2', seconds: '8' }, { seconds: '0' }],
  ['gemini', veo, { instances: [{}], parameters: {} }, { parameters: { resolution: 'flex' } }],
  ['gemini', veo, { instances: [{}], parameters: {} }, { parameters: { durationSeconds: 0, sampleCount: 0 } }],
])('a video of %s costs no less than 8 seconds at the standard price: %#', async (provider, path, asked, more) => {
  const pay = async (body: object, serviceTier: string | null) => {
    const { costNanoUsd, reserved } = await measure(path, body, { body: {} }, lenient, provider, { serviceTier });
    return [costNanoUsd, reserved];
  };
  const plain = await pay(asked, null);
  expect(plain[0]).toBeGreaterThan(0);
  expect(await pay({ ...asked, ...more }, null)).toEqual(plain);
  expect(await pay(asked, readTierHeader({ 'x-amzn-bedrock-service-tier': 'constructor' }))).toEqual(plain);
});
