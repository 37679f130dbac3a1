import { expect, test } from 'vitest';
import { lenient, measure } from '../../test/measure-call.ts';
import { openMetering } from '../../test/open-metering.ts';
import { readTierHeader } from '../dialects/tier.ts';

const veo = '/v1beta/models/veo-3.1-generate-preview:predictLongRunning';

const chat = { model: 'gpt-5.4', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 };
const claude = { model: 'claude-opus-4-7', max_tokens: 9, messages: [] };
const ask = {
  chat: ['/v1/chat/completions', 'openai', chat],
  'priority chat': ['/v1/chat/completions', 'openai', { ...chat, service_tier: 'priority' }],
  Claude: ['/v1/messages', 'anthropic', claude],
} as const;

const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
const [us, fast] = [{ inference_geo: 'us' }, { speed: 'fast' }];

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

const latency = 'x-amzn-bedrock-performanceconfig-latency';
const tier = 'x-amzn-bedrock-service-tier';

test.each<[asked: object, answered: object, told: object, marks: string[]]>([
  [{}, {}, {}, []],
  [{ [latency]: 'optimized' }, {}, {}, ['optimized']],
  // AWS serves some that ask for less latency with the usual one.
  [{ [latency]: 'optimized' }, { [latency]: 'standard' }, {}, []],
  [{}, { [latency]: 'optimized' }, { service_tier: 'standard' }, ['optimized']],
  [{ [tier]: 'priority' }, { [latency]: 'standard' }, {}, ['priority']],
  [{ [tier]: 'priority' }, { [tier]: 'default', [latency]: 'standard' }, {}, []],
  [{ [tier]: 'flex' }, { [tier]: 'priority', [latency]: 'optimized' }, {}, ['priority', 'optimized']],
])('Invoke that asks for %j and is answered with %j, %j, is of the tiers %j', async (asked, headers, told, marks) => {
  const serviceTier = readTierHeader(asked as Record<string, string>);
  const path = '/model/global.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke';
  const answer = { content: [], usage: { input_tokens: 9, output_tokens: 1, ...told } };
  const sent = { headers: headers as Record<string, string>, body: answer };
  const { priceVersion } = await measure(path, { max_tokens: 9, messages: [] }, sent, lenient, 'bedrock', {
    serviceTier,
  });
  const found = priceVersion?.match(/priority|optimized|flex|latency/g) ?? [];
  expect(found.sort()).toEqual(marks.sort());
});
