import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFindModelBounds, type UsageLimits } from './bound.ts';
import { createPriceUsage, type PricedCall } from './charge.ts';
import { makeUsage, type Usage } from './figures.ts';
import { parsePriceFile } from './price-file.ts';
import { readServiceTiers } from './tiers.ts';

const at = new Date('2026-11-20T12:00:00Z');
const apis = { openai: 'openai', anthropic: 'anthropic', gemini: 'gemini', bedrock: 'bedrock' } as const;
const ask = (model: string, api: PricedCall['api'] = 'openai') => ({
  provider: apis[api],
  api,
  baseUrl: 'http://127.0.0.1:1',
  model,
  at,
});
const none: UsageLimits = {
  ...{ inputTokens: 0, outputTokens: 0, inputCharacters: 0, outputImages: 0 },
  ...{ guardrailUnits: 0, guardrailImages: 0 },
};
const tokens = (inputTokens: number, outputTokens: number) => ({ ...none, inputTokens, outputTokens });
const file = parsePriceFile(
  JSON.stringify([
    {
      model: 'tiered',
      prices: { input_mtok: 1, output_mtok: 2 },
      service_tiers: { priority: { input_mtok: 2, output_mtok: 4 }, fast: { input_mtok: 6, output_mtok: 12 } },
    },
    { model: 'gpt-4.1', prices: { input_mtok: 1, output_mtok: 2 } },
    { model: 'drawn', prices: { output_images_kcount: 40 } },
    { model: 'mixed', prices: { input_mtok: 1, cache_write_mtok: 3, input_audio_mtok: 5, output_mtok: 1 } },
  ]),
);
const findBounds = createFindModelBounds(file);

describe('the most that a call may cost', () => {
  test.each<[string, ReturnType<typeof ask>, UsageLimits, number | null]>([
    ['plain tokens', ask('gpt-4o-mini'), tokens(1_000, 100), 1_000 * 150 + 100 * 600],
    ['a bare name at its dearest dated edition', ask('gpt-4o'), tokens(1_000, 100), 1_000 * 5_000 + 100 * 15_000],
    [
      'input that is kept in the cache for an hour',
      ask('claude-haiku-4-5', 'anthropic'),
      tokens(10, 1),
      10 * 2_000 + 5_000,
    ],
    ['sound', ask('gemini-2.5-flash', 'gemini'), tokens(10, 1), 10 * 1_000 + 2_500],
    ['pictures', ask('gemini-2.5-flash-image', 'gemini'), tokens(0, 10), 10 * 30_000],
    ['a step that the input cannot reach', ask('gpt-5.4'), tokens(271_999, 1), 271_999 * 2_500 + 15_000],
    ['a step that it can', ask('gpt-5.4'), tokens(272_000, 1), 272_000 * 5_000 + 22_500],
    ['the dearest tier that anybody may get', ask('tiered'), tokens(10, 1), 10 * 2_000 + 4_000],
    ['images that cost each', ask('drawn'), { ...none, outputTokens: 9_999, outputImages: 2 }, 80_000_000],
    ['sound that is written to the cache', ask('mixed'), tokens(10, 0), 10 * 8_000],
    ['characters', ask('tts-1'), { ...none, inputTokens: 9, outputTokens: 9, inputCharacters: 9 }, 9 * 15_000],
    ['sound whose length is not known', ask('whisper-1'), tokens(1, 1), null],
    ['output without a price', ask('text-embedding-3-small'), tokens(1, 1), null],
    ['an embedding', ask('text-embedding-3-small'), tokens(100, 0), 2_000],
    ['what is free', ask('gemma-3', 'gemini'), tokens(100, 100), 0],
  ])('%s', (_what, asked, limits, nano) => expect(findBounds(asked)?.charge(limits, [])).toBe(nano));

  test('a tier where it is asked for', () => {
    expect(findBounds(ask('tiered'))?.charge(tokens(10, 1), ['fast'])).toBe(10 * 6_000 + 12_000);
    expect(findBounds(ask('tiered'))?.hasTier('fast')).toBe(true);
    expect(findBounds(ask('gpt-4o'))?.hasTier('scale')).toBe(false);
    expect(findBounds(ask('gpt-4o'))?.hasTier('priority')).toBe(true);
    expect(findBounds(ask('gpt-5.4'))?.charge(tokens(10, 1), ['priority'])).toBe(10 * 5_000 + 30_000);
    expect(findBounds({ ...ask('gpt-5.4'), baseUrl: 'https://eu.api.openai.com' })?.charge(tokens(10, 1), [])).toBe(
      10 * 2_750 + 16_500,
    );
    expect(findBounds(ask('tiered'))?.hasTier('constructor')).toBe(false);
    expect(findBounds(ask('tiered'))?.hasTier('batch')).toBe(false);
    expect(findBounds(ask('gpt-4.1'))?.charge(tokens(1_000, 100), ['priority'])).toBe(1_000 * 1_750 + 100 * 3_500);
    expect(findBounds(ask('gpt-4.1'))?.hasTier('priority')).toBe(true);
  });

  test('nothing is known of a model without a price', () => {
    for (const model of ['no-such-model', '', 'x'.repeat(300)]) expect(findBounds(ask(model))).toBeNull();
  });
});

test.each([
  ['gpt-4o', 'openai', 160_000],
  ['gpt-image-1', 'openai', 2_097_152],
  ['claude-sonnet-4-5', 'anthropic', 2_097_152],
  ['claude-sonnet-4-0', 'anthropic', 1_310_720],
  ['gemini-2.0-flash', 'gemini', 1_250_000],
] as const)('the largest input of %s of %s is taken to be %i', (model, api, largest) => {
  expect(findBounds(ask(model, api))?.largestInput).toBe(largest);
});

test('no usage within the limits is ever charged more', () => {
  const priceUsage = createPriceUsage(file);
  const models =
    'gpt-4o gpt-4.1 gpt-5.4 gpt-5.6-sol gpt-6.2-sol gpt-audio gpt-realtime gpt-image-1.5 tiered mixed o3'.split(' ');
  const claude = ['claude-haiku-4-5', 'claude-haiku-5-5', 'claude-sonnet-4-5', 'claude-opus-5-5'];
  const gemini = ['gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-embedding-2', 'gemini-omni-flash-preview'];
  const asked = fc.oneof(
    fc.constantFrom(...models).map((model) => ask(model)),
    fc.constantFrom(...claude).map((model) => ask(model, 'anthropic')),
    fc.constantFrom(...gemini).map((model) => ask(model, 'gemini')),
  );
  const count = fc.oneof(fc.nat(1_000), fc.nat(2_000_000));
  const names = Object.keys(makeUsage({})) as (keyof Usage)[];
  const parts = names.filter((name) => name.endsWith('Tokens'));
  const used = fc.record(Object.fromEntries(parts.map((name) => [name, count])) as Record<string, typeof count>);
  const tier = fc.constantFrom(null, 'priority', 'priority+geo_us', 'fast', 'ultrafast', 'flex', 'batch', 'unheard-of');
  fc.assert(
    fc.property(asked, used, tier, (model, given, serviceTier) => {
      const usage = makeUsage(given);
      const bounds = findBounds(model);
      const most =
        bounds?.charge(tokens(usage.promptTokens, usage.completionTokens), readServiceTiers(serviceTier)) ?? null;
      const { costNanoUsd } = priceUsage({ ...model, usage, serviceTier });
      expect(most === null || costNanoUsd <= most).toBe(true);
    }),
    { numRuns: 400 },
  );
});
