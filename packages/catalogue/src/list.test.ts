import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import { units } from './figures.ts';
import { createPriceLister } from './list.ts';
import { parsePriceFile } from './price-file.ts';
import { ourVersion } from './prices.ts';

const at = new Date('2026-11-20T12:00:00Z');
const vendors =
  'anthropic aws azure cerebras cohere deepseek fireworks google groq mistral moonshotai openai openrouter perplexity together x-ai'.split(
    ' ',
  );
const providers = vendors.map((provider) => ({ provider, api: 'openai' as const, baseUrl: '' }));
const lister = createPriceLister(null);
const find = (provider: string, model: string) => lister.find({ provider, api: 'openai', baseUrl: '' }, model, at);

const pricesOf = (provider: string): [model: string, ModelPrice][] =>
  (findProvider({ providerId: provider })?.models ?? []).flatMap(({ id, prices }) =>
    (Array.isArray(prices) ? prices.map((set) => set.prices) : [prices]).map((set): [string, ModelPrice] => [id, set]),
  );

test('every price that the library has and we have no unit for is one that we need not charge', () => {
  const ours = new Set<string>(units.map(({ price }) => price));
  const ignored: [unit: string, model: string][] = [];
  for (const [model, prices] of vendors.flatMap(pricesOf)) {
    for (const unit of Object.keys(prices)) if (!ours.has(unit)) ignored.push([unit, model]);
    if (prices.audio_hours !== undefined && !model.startsWith('grok-voice'))
      expect(prices.audio_hours).toBe(prices.input_audio_hours);
    // Citations are counted as input.
    if (prices.output_citation_mtok !== undefined) expect(prices.output_citation_mtok).toBe(prices.input_mtok);
  }
  // Voices speak over WebSockets alone, which are refused.
  const voices = ['grok-voice-latest', 'grok-voice-think-fast-1.0', 'grok-voice-think-fast-2.0'];
  const byHour = ['whisper-large-v3', 'whisper-large-v3-turbo', 'voxtral-mini-2602', 'gpt-transcribe', 'whisper-1'];
  const modelsOf = (wanted: string) => new Set(ignored.flatMap(([unit, model]) => (unit === wanted ? model : [])));
  expect(modelsOf('audio_hours')).toEqual(new Set([...byHour, ...voices]));
  expect(modelsOf('input_text_messages_kcount')).toEqual(new Set(voices));
  expect(modelsOf('output_citation_mtok')).toEqual(new Set(['sonar-deep-research']));
  expect(new Set(ignored.map(([unit]) => unit)).size).toBe(3);
  expect(find('x-ai', 'grok-voice-latest')).toBeNull();
});

test('what is listed is taken as it is by a file', () => {
  const rows = lister.list(providers, at);
  expect(rows.length).toBeGreaterThan(500);
  for (const { provider, model, prices } of rows)
    expect(() => parsePriceFile(JSON.stringify([{ provider, model, prices }]))).not.toThrow();
  expect(find('mistral', 'voxtral-mini-2602')?.prices).toMatchObject({ input_audio_hours: 0.18 });
});

test.each([
  ['anthropic', 'claude-haiku-4-5', []],
  ['openai', 'whisper-1', ['input_mtok', 'output_mtok', 'output_video_hours', 'input_mchars', 'web_searches_kcount']],
  ['mistral', 'voxtral-mini-2602', ['input_mtok', 'output_mtok', 'input_document_kpages']],
  ['nobody', 'gpt-4o', ['input_audio_hours', 'output_video_hours', 'input_mchars']],
])('of the units that %s bills, %s lacks %j', (provider, model, missing) => {
  expect(find(provider, model)?.missing.slice(0, missing.length || 9)).toEqual(missing);
});

test('a row with prices of ours says so, as calls do', () => {
  expect(find('openai', 'gpt-4o')?.version).toContain(` + ${ourVersion}`);
  expect(find('deepseek', 'deepseek-reasoner')?.version).not.toContain('supplement');
});

test('units that a file adds are shown with the model they are added to, not as an entry', () => {
  const file = parsePriceFile('[{"provider":"anthropic","model":"*","prices":{"code_executions_kcount":5}}]');
  const anthropic = { provider: 'anthropic', api: 'anthropic', baseUrl: '' } as const;
  const rows = createPriceLister(file).list([anthropic], at);
  expect(rows.map(({ model }) => model)).not.toContain('*');
  const version = expect.stringContaining(file.version);
  const prices = expect.objectContaining({ input_mtok: 1, code_executions_kcount: 5 });
  const row = rows.find(({ model }) => model === 'claude-haiku-4-5');
  expect(row).toMatchObject({ source: 'library', version, prices, missing: [] });
});

test('what the library has for free costs 0, and lacks nothing', () => {
  const prices = { input_mtok: 0, output_mtok: 0 };
  expect(find('openrouter', 'deepseek/deepseek-chat:free')).toMatchObject({ prices, missing: [] });
});
