import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPriceUsage } from './charge.ts';
import { datedModels, datedTimes } from './dated-prices.ts';
import { makeUsage } from './figures.ts';

const installed = join(import.meta.dirname, '../../../node_modules');
const priceUsage = createPriceUsage();

/** What a model of each list is billed by. */
const lists = [
  ['openai', 'openai/resources/shared.d.ts', { promptTokens: 9, completionTokens: 9 }],
  ['openai', 'openai/resources/images.d.ts', { promptTokens: 9, completionTokens: 9 }],
  ['openai', 'openai/resources/embeddings.d.ts', { promptTokens: 9 }],
  ['openai', 'openai/resources/audio/audio.d.ts', { promptTokens: 9, inputAudioSeconds: 9 }],
  ['openai', 'openai/resources/audio/speech.d.ts', { promptTokens: 9, completionTokens: 9, inputCharacters: 9 }],
  ['openai', 'openai/resources/videos.d.ts', { outputVideoSeconds: 9 }],
  ['anthropic', '@anthropic-ai/sdk/resources/messages/messages.d.ts', { promptTokens: 9, completionTokens: 9 }],
] as const;

/**
 * Nobody publishes a figure, the model is gone, or (the first four) it is for chosen customers alone. A model that a new version of an SDK
 * names gets a row in dated-prices.ts, or stands here.
 */
const withoutPrice = `gpt-5.6-cyber gpt-6-cyber gpt-6-rosalind gpt-rosalind-research gpt-daybreak-blue-latest
  gpt-daybreak-red-latest gpt-image-2.6-sunburst gpt-image-2.6-flare chatgpt-image-latest dall-e-2 dall-e-3
  gpt-4o-mini-transcribe-2025-12-15 gpt-4o-mini-tts-2025-12-15 claude-mythos-preview`.split(/\s+/);

test('every model that the SDKs name has a price of its own, but for these', () => {
  const at = new Date('2026-11-27');
  const found: string[] = [];
  for (const [provider, file, usage] of lists) {
    const unions = readFileSync(join(installed, file), 'utf8').matchAll(/type \w*Models? =([^;]*);/g);
    const names = [...unions].flatMap(([, union = '']) =>
      [...union.matchAll(/'([^']+)'/g)].flatMap(([, name]) => name ?? []),
    );
    expect(names.length, file).toBeGreaterThan(2);
    for (const model of new Set(names)) {
      const call = { provider, api: provider, baseUrl: '', model, at, usage: makeUsage(usage) };
      const { priced, unpricedUnits = [] } = priceUsage(call);
      if (!priced || unpricedUnits.includes('own_price')) found.push(model);
    }
  }
  expect(found.sort()).toEqual(withoutPrice.sort());
});

test.each(['gpt-6.2-astra-law', 'gpt-live-transcribe'])(
  '%s, which other lists of newer SDKs name, has no price',
  (model) => {
    const usage = makeUsage({ promptTokens: 9, completionTokens: 9, inputAudioSeconds: 9 });
    expect(priceUsage({ provider: 'openai', api: 'openai', baseUrl: '', model, at: new Date(), usage }).priced).toBe(
      false,
    );
  },
);

test('each of our figures says where it was read, and when, and holds at some time', () => {
  for (const { source, read, from, until } of [...datedModels, ...datedTimes]) {
    expect(source).toMatch(/^https:\/\/\S+\/\S+$/);
    expect(read).toMatch(/^2026-\d\d-\d\d$/);
    expect(!from || !until || from < until).toBe(true);
  }
});
