import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPriceUsage, type PricedCall } from './charge.ts';
import { datedModels } from './dated-prices.ts';
import { makeUsage, maxTokens, type Usage } from './figures.ts';
import { priceVersion } from './merge.ts';

const priceUsage = createPriceUsage();
const noon = new Date('2026-11-20T12:00:00Z');

function call(model: string, usage: Partial<Usage>, rest: Partial<PricedCall> = {}): PricedCall {
  const api = rest.api ?? 'openai';
  return {
    provider: { openai: 'openai', anthropic: 'anthropic', gemini: 'gemini', bedrock: 'bedrock' }[api],
    api,
    baseUrl: 'http://127.0.0.1:1',
    model,
    usage: makeUsage(usage),
    at: noon,
    ...rest,
  };
}

const million = 1_000_000;
const usd = (amount: number) => Math.round(amount * 1e9);

describe('whose prices hold', () => {
  const million1 = { promptTokens: million };
  test('those of the address, before those of the configured name', () => {
    const groq = call('llama-3.3-70b-versatile', million1, { baseUrl: 'https://api.groq.com/openai/v1' });
    expect(priceUsage(groq).costNanoUsd).toBe(usd(0.59));
  });
  test('those of the configured name at an unknown address', () => {
    expect(priceUsage(call('mistral-large-latest', million1, { provider: 'mistral' })).priced).toBe(true);
  });
  test("those of the API's vendor for a provider that is not known", () => {
    expect(priceUsage(call('gpt-4o-mini', million1, { provider: 'demo' })).costNanoUsd).toBe(usd(0.15));
    const claude = call('claude-haiku-4-5', million1, { provider: 'demo', api: 'anthropic' });
    expect(priceUsage(claude).costNanoUsd).toBe(usd(1));
    const gemini = call('gemini-2.5-flash', million1, { provider: 'demo', api: 'gemini' });
    expect(priceUsage(gemini).costNanoUsd).toBe(usd(0.3));
  });
  test('a model that a known provider does not list gets no guessed price', () => {
    const unpriced = { costNanoUsd: 0, priceVersion: null, priced: false };
    expect(priceUsage(call('claude-opus-4-5', million1, { baseUrl: 'https://api.groq.com' }))).toEqual(unpriced);
    for (const model of ['', 'no-such-model', '__proto__', 'x'.repeat(100_000)]) {
      expect(priceUsage(call(model, million1))).toEqual(unpriced);
    }
  });
});

test.each<[string, PricedCall]>([
  ['images by size and quality', call('dall-e-3', { outputImages: 1 })],
  ['pages, which are not metered', call('mistral-ocr-latest', { promptTokens: million }, { provider: 'mistral' })],
  ['transcription without a reported length', call('whisper-1', { completionTokens: 500 })],
  ['a thing that the row has no price for', call('gpt-4o', { outputImages: 1 })],
])('%s: not priced, and said so', (_what, priced) => {
  expect(priceUsage(priced)).toEqual({ costNanoUsd: 0, priceVersion: null, priced: false });
});

test('a price that changes on a date or by the hour is the one of the call, in any order of calls', () => {
  const opus = (time: string) =>
    priceUsage(call('claude-opus-4-6', { promptTokens: million }, { api: 'anthropic', at: new Date(time) }))
      .costNanoUsd;
  expect(opus('2026-03-12T23:59:59.999Z')).toBe(usd(10));
  expect(opus('2026-03-13T00:00:00Z')).toBe(usd(5));
  expect(opus('2026-03-12T23:59:59.999Z')).toBe(usd(10));
  const deepseek = { provider: 'deepseek', baseUrl: 'https://api.deepseek.com' };
  for (let hour = 0; hour < 24; hour += 0.5) {
    const time = new Date(noon.getTime() + hour * 3_600_000);
    const expected = calcPrice({ input_tokens: million }, 'deepseek-reasoner', {
      providerId: 'deepseek',
      timestamp: time,
    });
    const priced = priceUsage(call('deepseek-reasoner', { promptTokens: million }, { ...deepseek, at: time }));
    expect(priced.costNanoUsd).toBe(usd(expected?.total_price ?? Number.NaN));
  }
});

test('an invalid time leaves the call unpriced if the price depends on it', () => {
  const at = new Date(Number.NaN);
  expect(priceUsage(call('claude-opus-4-6', {}, { api: 'anthropic', at })).priced).toBe(false);
});

test('more models than are remembered are still priced', () => {
  const small = createPriceUsage(null, 2);
  for (const model of ['gpt-4o', 'gpt-4o-mini', 'nothing', 'o3', 'gpt-4o']) {
    expect(small(call(model, { promptTokens: 10 })).priced).toBe(model !== 'nothing');
  }
});

test('the version in the records is that of the installed library', () => {
  const main = createRequire(import.meta.url).resolve('@pydantic/genai-prices');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', `file://${main}`), 'utf8'));
  expect(priceVersion).toBe(`genai-prices ${version}`);
});

/** Every model of the main providers, but for those that have rows of ours. */
const rows = ['openai', 'anthropic', 'google', 'mistral', 'groq', 'deepseek', 'x-ai', 'perplexity'].flatMap((id) => {
  const provider = findProvider({ providerId: id });
  return (provider?.models ?? []).flatMap((model) => {
    try {
      const found = calcPrice({}, model.id, { providerId: id, timestamp: noon });
      const isOurs = datedModels.some((row) => row.provider === id && row.model === model.id);
      return found === null || isOurs ? [] : [{ provider: id, model: model.id }];
    } catch {
      return [];
    }
  });
});

/** Usage whose parts leave room for each other, as the library demands. */
const consistentUsage = fc
  .array(fc.oneof(fc.nat(2_000), fc.nat(300_000)), { minLength: 11, maxLength: 11 })
  .map(([text, read, write, hour, audio, cachedAudio, image, cachedImage, words, thought, spoken] = []) => {
    const n = (value: number | undefined) => value ?? 0;
    const cacheReadTokens = n(read) + n(cachedAudio) + n(cachedImage);
    return makeUsage({
      promptTokens: n(text) + cacheReadTokens + n(write) + n(hour) + n(audio) + n(image),
      cacheReadTokens,
      cacheWriteTokens: n(write) + n(hour),
      cacheWrite1hTokens: hour,
      inputAudioTokens: n(audio) + n(cachedAudio),
      cacheReadAudioTokens: cachedAudio,
      inputImageTokens: n(image) + n(cachedImage),
      cacheReadImageTokens: cachedImage,
      completionTokens: n(words) + n(thought) + n(spoken),
      reasoningTokens: thought,
      outputAudioTokens: spoken,
      webSearches: n(spoken) % 7,
    });
  });

const libraryKeys: Record<string, keyof Usage> = {
  input_tokens: 'promptTokens',
  output_tokens: 'completionTokens',
  cache_read_tokens: 'cacheReadTokens',
  cache_write_tokens: 'cacheWriteTokens',
  cache_write_1h_tokens: 'cacheWrite1hTokens',
  input_audio_tokens: 'inputAudioTokens',
  input_image_tokens: 'inputImageTokens',
  cache_audio_read_tokens: 'cacheReadAudioTokens',
  cache_image_read_tokens: 'cacheReadImageTokens',
  output_reasoning_tokens: 'reasoningTokens',
  output_audio_tokens: 'outputAudioTokens',
  web_searches: 'webSearches',
};

test('every cost is within float error of what the library itself computes', () => {
  expect(rows.length).toBeGreaterThan(200);
  // The library has the price of text for their sound.
  const alike = rows.filter(({ model }) => !/^gpt-4o(?:-mini)?-audio/.test(model));
  fc.assert(
    fc.property(fc.constantFrom(...alike), consistentUsage, ({ provider, model }, usage) => {
      const given: Record<string, number> = {};
      for (const [key, name] of Object.entries(libraryKeys)) given[key] = usage[name];
      const expected = calcPrice(given, model, { providerId: provider, timestamp: noon });
      // Searches and long writes that the library leaves out have a price of ours.
      const webSearches = expected?.model_price.web_searches_kcount === undefined ? 0 : usage.webSearches;
      const cacheWrite1hTokens = expected?.model_price.cache_write_1h_mtok === undefined ? 0 : usage.cacheWrite1hTokens;
      const told = { ...usage, webSearches, cacheWrite1hTokens };
      const { costNanoUsd } = priceUsage(call(model, told, { provider, baseUrl: '' }));
      expect(Math.abs(costNanoUsd - (expected?.total_price ?? Number.NaN) * 1e9)).toBeLessThan(0.51);
    }),
    { numRuns: 100 },
  );
});

test('a cost is a whole number that is not negative, for any usage', () => {
  const anyNumber = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(maxTokens, maxTokens + 1, -1, 1e300));
  const anyUsage = fc.record(Object.fromEntries(Object.keys(makeUsage({})).map((key) => [key, anyNumber])));
  fc.assert(
    fc.property(fc.constantFrom(...rows), anyUsage, ({ provider, model }, usage) => {
      const priced = priceUsage({ ...call(model, {}, { provider }), usage: usage as unknown as Usage });
      expect(Number.isSafeInteger(priced.costNanoUsd) && priced.costNanoUsd >= 0).toBe(true);
    }),
  );
});
