import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPriceUsage, makeUsage, parsePriceFile } from '@agp/catalogue';
import { modelPriceListSchema, unpricedModelListSchema } from '@agp/core/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { createPriceReader } from '../src/reads/prices.ts';
import { makeEvent } from './support/make-event.ts';
import { seedAgent, seedEvents } from './support/seed.ts';
import { shareTestManagement, startTestManagement, type TestManagement } from './support/start-test-management.ts';

const management = shareTestManagement();

const dayMs = 86_400_000;
const before = (days: number, ms = 0) => new Date(Math.floor(Date.now() / dayMs - days) * dayMs + ms).toISOString();

function writeFile(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'file.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const readPrices = (of: TestManagement, query = '') => of.read(`/api/v1/prices${query}`, modelPriceListSchema);

async function use(of: TestManagement, calls: [provider: string, model: string, at: string, version?: string][]) {
  const agent = await seedAgent(of.database, 'pricey');
  const events = calls.map(([provider, model, at, price_version = null]) =>
    makeEvent(agent, 'ses_prices', at, { provider, model, price_version, cost_nano_usd: 0 }),
  );
  await seedEvents(of.database, events);
}

const missing = expect.any(Array);
const price_version = expect.stringMatching(/^genai-prices 0\.1\.8(?: \+ supplement \S+)?$/);
const library = { missing, source: 'library', price_version, unpriced_at: null, add: null };

test.each([
  ['openai', 'gpt-4o', null, { input_mtok: 2.5, cache_read_mtok: 1.25, output_mtok: 10 }],
  ['openai', 'gpt-4o-2024-08-06', null, { input_mtok: 2.5, cache_read_mtok: 1.25, output_mtok: 10 }],
  ['openai', 'o3', '2025-06-10T00:00:00.000Z', { input_mtok: 2, cache_read_mtok: 0.5, output_mtok: 8 }],
  ['anthropic', 'claude-haiku-4-5', null, { input_mtok: 1, cache_read_mtok: 0.1, output_mtok: 5 }],
  ['gemini', 'gemini-2.5-pro', null, { output_mtok: { base: 10, tiers: [{ start: 200_000, price: 15 }] } }],
])('%s asks for %s, since %s, what its price list says', async (provider, model, since, prices) => {
  const rows = await readPrices(management, `?provider=${provider}&model=${model}`);
  expect(rows).toEqual([{ provider, model, since, prices: expect.objectContaining(prices), ...library }]);
});

test('what the library lacks is named as ours, and what nobody prices has no row', async () => {
  const [speech] = await readPrices(management, '?search=TTS-1-HD&limit=1');
  const missing = ['input_mtok', 'output_mtok', 'input_audio_hours', 'output_video_hours', 'web_searches_kcount'];
  expect(speech).toMatchObject({ model: 'tts-1-hd', source: 'supplement', prices: { input_mchars: 30 } });
  expect(speech?.missing).toEqual(expect.arrayContaining(missing));
  for (const unit of ['input_mchars', 'maps_searches_kcount']) expect(speech?.missing).not.toContain(unit);
  expect(speech?.price_version).toMatch(/^genai-prices 0\.1\.8 \+ supplement /);
  expect(await readPrices(management, '?model=no-such-model')).toEqual([]);
});

test('pages and filters have the whole list once, by provider and model', async () => {
  const all = await readPrices(management);
  expect(new Set(all.map(({ provider }) => provider))).toEqual(new Set(['openai', 'anthropic', 'gemini']));
  const names = all.map(({ provider, model }) => JSON.stringify([provider, model]));
  expect(names).toEqual([...new Set(names)].sort());
  expect([...(await readPrices(management, '?limit=5')), ...(await readPrices(management, '?offset=5'))]).toEqual(all);
  expect(await readPrices(management, '?search=claude')).toEqual(all.filter(({ model }) => model.includes('claude')));
});

test('models without a price in the last 30 days come first, with the entry that they need', async () => {
  await using own = await startTestManagement();
  await use(own, [
    ['openai', 'new-model', before(1)],
    ['local', 'a"b', before(0, 1)],
    ['local', 'a"b', before(2)],
    ['local', 'llama*', before(3)],
    ['openai', 'gpt-4o', before(1, 5)],
    ['openai', 'gpt-4o-2024-08-06', before(1), 'genai-prices 0.1.8'],
    ['openai', 'long-ago', before(32)],
  ]);
  const rows = await readPrices(own);
  const unpriced = {
    prices: {},
    missing: ['input_mtok', 'output_mtok'],
    source: null,
    price_version: null,
    since: null,
  };
  const entry = (provider: string, model: string) =>
    `{"provider":"${provider}","model":${JSON.stringify(model)},"prices":{"input_mtok":null,"output_mtok":null}}`;
  expect(rows.slice(0, 3)).toEqual([
    { provider: 'local', model: 'a"b', ...unpriced, unpriced_at: before(0, 1), add: entry('local', 'a"b') },
    { provider: 'local', model: 'llama*', ...unpriced, unpriced_at: before(3), add: null },
    { provider: 'openai', model: 'new-model', ...unpriced, unpriced_at: before(1), add: entry('openai', 'new-model') },
  ]);
  // Priced here and not where it was called: mended since, or the proxies have another file.
  expect(rows[3]).toMatchObject({ model: 'gpt-4o', source: 'library', unpriced_at: before(1, 5), add: null });
  expect(rows.slice(4).filter(({ unpriced_at, add }) => unpriced_at !== null || add !== null)).toEqual([]);
  const names = rows.map(({ model }) => model).filter((name) => /^(long-ago|gpt-4o-2024-08-06)$/.test(name));
  expect(names).toEqual(['gpt-4o-2024-08-06']);
});

test('a unit without a price is missing in the entry to add, which leaves the known prices as they are', async () => {
  await using own = await startTestManagement();
  const version = 'genai-prices 0.1.8, without code_executions_kcount+web_searches_kcount+other_models';
  await use(own, [['anthropic', 'claude-haiku-4-5', before(1), version]]);
  const [row, next] = await readPrices(own);
  const known = row?.prices;
  expect(known).toMatchObject({ input_mtok: 1, output_mtok: 5, web_searches_kcount: 10 });
  expect(row?.missing).toEqual(['code_executions_kcount']);
  const prices = { code_executions_kcount: null };
  const add = JSON.stringify({ provider: 'anthropic', model: 'claude-haiku-4-5', prices });
  expect(row).toMatchObject({ model: 'claude-haiku-4-5', source: 'library', unpriced_at: before(1), add });
  // Filled in, it adds its unit to the bill and changes nothing else.
  const file = parsePriceFile(`[${row?.add?.replace('null', '5')}]`);
  const usage = makeUsage({ promptTokens: 1_000_000, webSearches: 10, codeExecutions: 100 });
  const call = {
    provider: 'anthropic',
    api: 'anthropic',
    baseUrl: '',
    model: 'claude-haiku-4-5',
    at: new Date(),
  } as const;
  for (const serviceTier of [null, 'batch', 'geo_us', 'batch+geo_us', 'priority']) {
    const [plain, after] = [createPriceUsage(), createPriceUsage(file)].map((price) =>
      price({ ...call, usage, serviceTier }),
    );
    expect((after?.costNanoUsd ?? 0) - (plain?.costNanoUsd ?? 0), `${serviceTier}`).toBe(0.5e9);
  }
  expect(next?.unpriced_at).toBeNull();
});

test('a model that is charged as an older one is shown with the entry that prices it itself', async () => {
  await using own = await startTestManagement();
  await use(own, [['anthropic', 'claude-sonnet-5-9', before(1), 'genai-prices 0.1.8, without own_price']]);
  const [row] = await readPrices(own);
  expect(row).toMatchObject({ model: 'claude-sonnet-5-9', source: 'library', unpriced_at: before(1) });
  const entry = JSON.parse(row?.add ?? '');
  expect(entry).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-5-9' });
  expect(entry.prices).toEqual({ ...row?.prices, input_mtok: null, output_mtok: null });
  const listed = await own.read('/api/v1/costs/unpriced', unpricedModelListSchema);
  expect(listed).toMatchObject([{ model: 'claude-sonnet-5-9', unit: 'own_price', request_count: 1 }]);
});

test('a file that changed is read again; one that is refused leaves what was read', async () => {
  const pricesFile = writeFile([{ model: 'x', prices: { input_mtok: 1 } }]);
  const read = createPriceReader({ pricesFile }, { PROVIDER_FAST_URL: 'http://127.0.0.1:1' });
  const priceOf = async () => {
    const [row] = await read(management.database.db, { provider: 'fast', model: 'x', offset: 0 });
    return row?.prices.input_mtok;
  };
  writeFileSync(pricesFile, '[{"model":"x","prices":{"input_mtok":2}}]');
  expect(await priceOf()).toBe(1);
  read.readAgain();
  expect(await priceOf()).toBe(2);
  writeFileSync(pricesFile, '[{"model":"x","prices":{"input_mtok":3}},{"model":"y","prices":{}}]');
  expect(() => read.readAgain()).toThrow(/^PRICES_FILE: .*1\.prices: must have/);
  expect(await priceOf()).toBe(2);
});

test('the units to add are those that the call lacked: tokens, or what an edition of the model is paid by', async () => {
  const providersFile = writeFile([{ id: 'mistral', api: 'openai', base_url: 'https://api.mistral.ai' }]);
  await using own = await startTestManagement({ providersFile });
  await use(own, [
    ['mistral', 'voxtral-mini-2602', before(1)],
    ['mistral', 'voxtral-mini-2507', before(1)],
    ['mistral', 'new-2507', before(1)],
  ]);
  const [another, sibling, row] = await readPrices(own);
  expect([another?.missing, sibling?.missing]).toEqual([['input_mtok', 'output_mtok'], ['input_audio_hours']]);
  expect(sibling?.add).toBe('{"provider":"mistral","model":"voxtral-mini-2507","prices":{"input_audio_hours":null}}');
  expect(row?.missing).toEqual(expect.arrayContaining(['input_mtok', 'output_mtok']));
  const prices = { input_audio_hours: 0.18, web_searches_kcount: 30, code_executions_kcount: 30 };
  const entry = {
    provider: 'mistral',
    model: 'voxtral-mini-2602',
    prices: { ...prices, input_mtok: null, output_mtok: null },
  };
  expect(row).toMatchObject({ source: 'library', unpriced_at: before(1), prices, add: JSON.stringify(entry) });
});

test('entries of the file replace what the library says, for the providers that are configured', async () => {
  const steps = { base: 1, tiers: [{ start: 1_000, price: 2 }] };
  const pricesFile = writeFile([
    { provider: 'openai', model: 'gpt-4o', from: '2026-01-01', prices: { input_mtok: 1.1, output_mtok: steps } },
    { provider: 'openai', model: 'o3*', prices: { input_mtok: 9 } },
    { model: 'tuned', prices: { input_mtok: 0 } },
    { model: 'over', until: '2026-01-01', prices: { input_mtok: 0 } },
  ]);
  const providersFile = writeFile([{ id: 'fast', api: 'openai', base_url: 'https://api.groq.com/openai/v1' }]);
  await using own = await startTestManagement({ pricesFile, providersFile });
  await use(own, [['fast', 'tuned', before(1)]]);
  const ours = {
    missing,
    source: 'prices_file',
    price_version: expect.stringMatching(/^genai-prices 0\.1\.8 \+ prices-file [0-9a-f]{16}$/),
    since: null,
    unpriced_at: null,
    add: null,
  };
  const [mended, ...rows] = await readPrices(own);
  const tuned = { model: 'tuned', prices: { input_mtok: 0 }, ...ours };
  expect(mended).toEqual({ ...tuned, provider: 'fast', unpriced_at: before(1) });
  const mine = rows.filter(({ source }) => source === 'prices_file');
  const dated = { since: '2026-01-01T00:00:00.000Z', prices: { input_mtok: 1.1, output_mtok: steps } };
  expect(mine.slice(0, 3)).toEqual([
    { ...ours, provider: 'openai', model: 'gpt-4o', ...dated },
    { ...ours, provider: 'openai', model: 'o3', prices: { input_mtok: 9 } },
    { ...ours, provider: 'openai', model: 'o3*', prices: { input_mtok: 9 } },
  ]);
  expect(mine.at(-1)).toEqual({ ...tuned, provider: null });
  expect(rows).toContainEqual(expect.objectContaining({ provider: 'fast', model: 'llama-3.3-70b-versatile' }));
});

test('a provider that an address alone makes is priced by its address', async () => {
  const read = createPriceReader({}, { PROVIDER_FAST_URL: 'https://api.groq.com/openai' });
  const [row] = await read(management.database.db, { provider: 'fast', model: 'llama-3.3-70b-versatile', offset: 0 });
  expect(row?.prices).toEqual({ input_mtok: 0.59, output_mtok: 0.79 });
});

test('a file that cannot be used is named at start', () => {
  const read = (settings: { pricesFile?: string; providersFile?: string }) => () => createPriceReader(settings, {});
  expect(read({ pricesFile: '/no/such.json' })).toThrow('PRICES_FILE: cannot read /no/such.json: ENOENT');
  expect(read({ pricesFile: writeFile([{ model: 'x', prices: {} }]) })).toThrow(/^PRICES_FILE: .*0\.prices: must have/);
  const misspelt = { id: 'x', api: 'openai', base_url: 'http://a', api_kye: 'k' };
  expect(read({ providersFile: writeFile([misspelt]) })).toThrow(/\[0\] \("x"\): .*api_kye/);
  expect(read({ providersFile: writeFile([{ id: 'x' }]) })).toThrow(
    /^PROVIDERS_FILE: .*\[0\] \("x"\): api: must be one of/,
  );
});
