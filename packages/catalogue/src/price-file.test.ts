import { createHash } from 'node:crypto';
import { ConfigError } from '@agp/core/errors';
import { describe, expect, test } from 'vitest';
import { createPriceUsage, type PricedCall } from './charge.ts';
import { datedModels, datedTimes } from './dated-prices.ts';
import { makeUsage, type Usage } from './figures.ts';
import { priceVersion } from './merge.ts';
import { parsePriceFile } from './price-file.ts';
import { ourModels, ourUnits, ourVersion } from './prices.ts';

const M = 1_000_000;

function priceWith(
  entries: unknown,
  call: Partial<Omit<PricedCall, 'usage'>>,
  usage: Partial<Usage> = { promptTokens: M },
) {
  return createPriceUsage(parsePriceFile(JSON.stringify(entries)))({
    provider: 'openai',
    api: 'openai',
    baseUrl: 'https://api.openai.com/',
    model: 'gpt-4o',
    at: new Date('2026-11-20T12:00:00Z'),
    ...call,
    usage: makeUsage(usage),
  });
}

const at1 = { input_mtok: 1, output_mtok: 1 };
const at2 = { input_mtok: 2, output_mtok: 2 };
const at3 = { input_mtok: 3, output_mtok: 3 };

describe('what a file sets', () => {
  test('a price instead of the library’s, wholly: what it does not name costs what it is a part of', () => {
    const usage = { promptTokens: M, cacheReadTokens: M / 2, webSearches: 5 };
    const entries = [{ model: 'gpt-4o', prices: at1 }];
    const priced = priceWith(entries, {}, usage);
    expect(priced.costNanoUsd).toBe(1e9);
    const digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16);
    expect(priced.priceVersion).toBe(`${priceVersion} + prices-file ${digest}`);
  });

  test('a model that nobody lists, and one that is free', () => {
    expect(priceWith([{ model: 'our-llama', prices: at1 }], { model: 'our-llama' }).costNanoUsd).toBe(1e9);
    const free = [{ model: 'our-llama', prices: { input_mtok: 0, output_mtok: 0 } }];
    expect(priceWith(free, { model: 'our-llama' })).toMatchObject({ costNanoUsd: 0, priced: true });
  });

  test('nothing for other models, whose record does not name the file', () => {
    expect(priceWith([{ model: 'gpt-4', prices: at1 }], {})).toEqual({
      costNanoUsd: 2.5e9,
      priceVersion,
      priced: true,
    });
  });

  test('the provider’s own entry, then the whole name, then the longer beginning', () => {
    const entries = [
      { model: 'gpt-*', prices: { input_mtok: 5 } },
      { model: 'gpt-4*', prices: { input_mtok: 6 } },
      { model: 'gpt-4o', prices: { input_mtok: 7 } },
      { provider: 'azure', model: '*', prices: { input_mtok: 8 } },
      { provider: 'azure', model: 'gpt-4*', prices: { input_mtok: 9 } },
      { provider: 'azure', model: 'gpt-4o', prices: { input_mtok: 10 } },
    ];
    const price = (provider: string, model: string) => priceWith(entries, { provider, model }).costNanoUsd / 1e9;
    expect([price('openai', 'gpt-5'), price('openai', 'gpt-4.1'), price('openai', 'gpt-4o')]).toEqual([5, 6, 7]);
    expect([price('azure', 'o3'), price('azure', 'gpt-4.1'), price('azure', 'gpt-4o')]).toEqual([8, 9, 10]);
  });

  test('prices that hold from a day and until another, and around them whatever else is known', () => {
    const entries = [
      { model: 'gpt-4o', prices: at1, from: '2026-12-01', until: '2027-01-01' },
      { model: 'gpt-4o', prices: at2, from: '2027-01-01' },
      { model: 'gpt-4*', prices: at3, until: '2026-11-30T12:00:00Z' },
    ];
    const price = (time: string) => priceWith(entries, { at: new Date(time) }).costNanoUsd / 1e9;
    expect(price('2026-11-30T11:59:59.999Z')).toBe(3);
    expect(price('2026-11-30T12:00:00.000Z')).toBe(2.5);
    expect(price('2026-11-30T23:59:59.999Z')).toBe(2.5);
    expect(price('2026-12-01T00:00:00.000Z')).toBe(1);
    expect(price('2026-12-31T23:59:59.999Z')).toBe(1);
    expect(price('2027-01-01T00:00:00.000Z')).toBe(2);
  });

  test('one function prices calls of any times, in any order', () => {
    const file = parsePriceFile(JSON.stringify([{ model: 'gpt-4o', prices: at1, from: '2026-12-01' }]));
    const priceUsage = createPriceUsage(file);
    const price = (day: string) =>
      priceUsage({
        provider: 'openai',
        api: 'openai',
        baseUrl: '',
        model: 'gpt-4o',
        at: new Date(day),
        usage: makeUsage({ promptTokens: M }),
      }).costNanoUsd / 1e9;
    expect(['2026-12-02', '2026-11-02', '2026-12-02'].map(price)).toEqual([1, 2.5, 1]);
  });

  test('prices by the size of the input', () => {
    const stepped = {
      base: 1,
      tiers: [
        { start: 1_000, price: 2 },
        { start: 2_000, price: 3 },
      ],
    };
    const entries = [{ model: 'gpt-4o', prices: { input_mtok: stepped, output_mtok: 4 } }];
    const price = (promptTokens: number) => priceWith(entries, {}, { promptTokens }).costNanoUsd;
    expect([price(1_000), price(1_001), price(2_000), price(2_001)]).toEqual([1e6, 2_002_000, 4e6, 6_003_000]);
  });

  test('prices of tiers; a tier it does not list costs its standard price and is marked', () => {
    const entries = [{ model: 'gpt-4o', prices: at1, service_tiers: { priority: at2, batch: at3 } }];
    const price = (serviceTier: string | null) => {
      const { costNanoUsd, priceVersion: version } = priceWith(entries, { serviceTier });
      return [costNanoUsd / 1e9, version?.split(/prices-file [0-9a-f]{16}/)[1]];
    };
    expect(price('priority')).toEqual([2, ', priority']);
    expect(price('batch')).toEqual([3, ', batch']);
    expect(price('flex')).toEqual([1, ', flex at the standard price']);
    expect(price('default')).toEqual([1, '']);
    expect(price(null)).toEqual([1, '']);
  });

  test.each([
    ['batch', 'openai', 0.5, 'batch at half'],
    ['priority', 'openai', 1.75, 'priority at 1.75 times'],
    ['geo_us', 'anthropic', 1.1, 'geo_us at 1.1 times'],
    ['scale', 'openai', 1, 'scale at the standard price'],
    ['batch', 'local', 0.5, 'batch at half'],
  ] as const)(
    'without tiers of its own, %s of %s costs %d times as much, as the vendor says',
    (tier, provider, times, mark) => {
      const entries = [{ model: 'gpt-4.1', prices: { ...at1, code_executions_kcount: 5 } }];
      const api = provider === 'anthropic' ? 'anthropic' : 'openai';
      const baseUrl = 'http://10.0.0.1';
      const call = { provider, api, baseUrl, model: 'gpt-4.1', serviceTier: tier } as const;
      const priced = priceWith(entries, call, { promptTokens: M, codeExecutions: 100 });
      expect([priced.costNanoUsd, priced.priceVersion]).toEqual([
        (times + 0.5) * 1e9,
        expect.stringMatching(new RegExp(`prices-file [0-9a-f]{16}, ${mark}$`)),
      ]);
    },
  );

  test('an empty list of tiers says that there are none', () => {
    const entries = [{ model: 'gpt-4o', prices: at1, service_tiers: {} }];
    expect(priceWith(entries, { serviceTier: 'batch' }).costNanoUsd).toBe(1e9);
  });

  test('a regional host has its own prices, or the vendor’s times', () => {
    const regional = { model: 'gpt-5.4', baseUrl: 'https://eu.api.openai.com/' };
    const price = (more: object) => priceWith([{ model: 'gpt-5.4', prices: at1, ...more }], regional).costNanoUsd / 1e9;
    expect([price({}), price({ service_tiers: { regional: at3 } })]).toEqual([1.1, 3]);
  });

  describe('an entry that prices only what the provider runs', () => {
    const runs = { model: '*', provider: 'openai', prices: { code_executions_kcount: 5, web_searches_kcount: 20 } };
    const usage = { promptTokens: M, codeExecutions: 100, webSearches: 100, fileSearches: 100 };
    const file = / \+ prices-file [0-9a-f]{16}$/;

    test('is added to what is known of the model, at any tier and time', () => {
      const listed = priceWith([runs], { serviceTier: 'batch' }, usage);
      expect(listed.costNanoUsd / 1e9).toBeCloseTo(1.25 + 0.5 + 2 + 0.25, 9);
      expect(listed.priceVersion).toMatch(/^genai-prices 0\.1\.8, batch at half \+ prices-file \S+$/);
      const closer = { model: 'gpt-4o', prices: { web_searches_kcount: 40 } };
      expect(priceWith([runs, closer], {}, usage).costNanoUsd).toBe((2.5 + 0.5 + 2 + 0.25) * 1e9);
      expect(priceWith([{ ...runs, provider: undefined, model: 'gpt-*' }, closer], {}, usage).costNanoUsd).toBe(
        (2.5 + 0.5 + 4 + 0.25) * 1e9,
      );
      const until = { ...runs, until: '2026-11-20' };
      expect(priceWith([until], {}, usage).costNanoUsd).toBe((2.5 + 3 + 1 + 0.25) * 1e9);
    });

    test('is added to an entry of the model, and named only if it was used', () => {
      const priced = priceWith([runs, { model: 'gpt-4o', prices: at1 }], {}, usage);
      expect(priced.costNanoUsd).toBe((1 + 0.5 + 2) * 1e9);
      expect(priced.priceVersion).toMatch(/^genai-prices 0\.1\.8 \+ prices-file [0-9a-f]{16}$/);
      expect(priceWith([runs], {}).priceVersion).not.toMatch(file);
    });

    test('is all that is known of a model that nobody lists', () => {
      const priced = priceWith([runs], { model: 'our-llama' }, { codeExecutions: 100 });
      expect(priced).toMatchObject({ costNanoUsd: 0.5e9, priceVersion: expect.stringMatching(file) });
    });
  });

  const input = { promptTokens: 3 * M };
  const output = { completionTokens: 3 * M };
  test.each<[object, Partial<Usage>, number]>([
    [{ input_mtok: 1, cache_read_mtok: 0.5 }, { ...input, cacheReadTokens: M }, 2.5],
    [{ input_mtok: 1, cache_write_mtok: 2 }, { ...input, cacheWriteTokens: M }, 4],
    [{ input_mtok: 1, cache_write_1h_mtok: 3 }, { ...input, cacheWriteTokens: M, cacheWrite1hTokens: M }, 5],
    [{ input_mtok: 1, input_audio_mtok: 3 }, { ...input, inputAudioTokens: M }, 5],
    [{ input_mtok: 1, input_image_mtok: 3 }, { ...input, inputImageTokens: M }, 5],
    [{ input_mtok: 1, input_video_mtok: 3 }, { ...input, inputVideoTokens: M }, 5],
    [{ output_mtok: 1, output_reasoning_mtok: 3 }, { ...output, reasoningTokens: M }, 5],
    [{ output_mtok: 1, output_audio_mtok: 3 }, { ...output, outputAudioTokens: M }, 5],
    [{ output_mtok: 1, output_image_mtok: 3 }, { ...output, outputImageTokens: M }, 5],
    [{ output_mtok: 1, output_video_mtok: 3 }, { ...output, outputVideoTokens: M }, 5],
    [{ input_audio_hours: 0.36 }, { inputAudioSeconds: 30 }, 0.003],
    [{ input_mchars: 15 }, { inputCharacters: 100 }, 0.0015],
    [{ output_images_kcount: 40 }, { outputImages: 2 }, 0.08],
    [{ web_searches_kcount: 10 }, { webSearches: 3 }, 0.03],
    [{ storage_searches_kcount: 2.5 }, { fileSearches: 2 }, 0.005],
    [{ code_executions_kcount: 30 }, { codeExecutions: 2 }, 0.06],
    [{ input_document_kpages: 2 }, { inputPages: 3 }, 0.006],
    [{ output_video_hours: 1_440 }, { outputVideoSeconds: 8 }, 3.2],
    [{ cache_storage_mtok_hours: 4.5 }, { storedTokenHours: 100_000 }, 0.45],
    [{ requests_kcount: 5 }, {}, 0.005],
  ])('%j for %j', (prices, usage, usd) => {
    expect(priceWith([{ model: 'gpt-4o', prices }], {}, usage).costNanoUsd / 1e9).toBe(usd);
  });
});

const prices = { input_mtok: 1 };
const entry = { model: 'a', prices };
const priced = (input_mtok: unknown) => [{ model: 'a', prices: { input_mtok } }];

test.each<[string, unknown, string]>([
  ['no list', { models: [] }, 'expected array'],
  ['an entry without a model', [{ prices }], '0.model: '],
  ['an entry without prices', [{ model: 'a' }], '0.prices: '],
  ['prices of nothing', [{ model: 'a', prices: {} }], '0.prices: must have a price; write what is free as 0'],
  [
    'an unknown unit',
    [entry, { model: 'b', prices: { input_tokens: 1 } }],
    '1.prices: Unrecognized key: "input_tokens"',
  ],
  ['an unknown field', [{ ...entry, provder: 'x' }], '0: Unrecognized key: "provder"'],
  ['a price as text', priced('1'), '0.prices.input_mtok: must be a price in USD, or { base, tiers }'],
  ['a price below nothing', priced(-1), '0.prices.input_mtok: '],
  ['a price in nano-dollars', priced(2_500_000_000), '0.prices.input_mtok: '],
  ['a step without a price', priced({ base: 1, tiers: [{ start: 5 }] }), '0.prices.input_mtok.tiers.0.price: '],
  [
    'steps that descend',
    priced({ base: 1, tiers: [2, 3].map((price) => ({ start: 5, price })) }),
    '0.prices.input_mtok.tiers: must ascend',
  ],
  ['a star in the middle', [{ model: 'a*b', prices }], '0.model: * may only stand at the end'],
  ['every model of every provider', [{ model: '*', prices }], '0.provider: is needed where model is *'],
  ['an invalid day', [{ ...entry, from: '2026-02-30' }], '0.from: must be a UTC date or time'],
  ['a time without a zone', [{ ...entry, until: '2026-02-03T00:00:00' }], '0.until: must be a UTC date or time'],
  [
    'an end before the beginning',
    [{ ...entry, from: '2026-02-03', until: '2026-02-03' }],
    '0.until: must lie after from',
  ],
  [
    'a tier no provider could name',
    [{ ...entry, service_tiers: { 'Fast Lane': prices } }],
    '0.service_tiers.Fast Lane: must be a lower-case tier',
  ],
  ['a tier without prices', [{ ...entry, service_tiers: { flex: {} } }], '0.service_tiers.flex: must have a price'],
  [
    'two prices at once',
    [entry, { model: 'b', prices }, { ...entry, from: '2026-01-01' }],
    '2.model: a has prices for the same time in 0 too',
  ],
])('%s is refused, by the entry and the field', (_what, content, message) => {
  const parse = () => parsePriceFile(JSON.stringify(content));
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(message);
});

test('text that is no JSON is refused', () => {
  expect(() => parsePriceFile('[{')).toThrow('is not JSON');
});

test('a name that costs nothing to match is not confused with another', () => {
  const entries = [
    { model: '__proto__', prices: at1 },
    { model: 'constructor*', prices: at2 },
  ];
  expect(priceWith(entries, { model: '__proto__' }).costNanoUsd).toBe(1e9);
  expect(priceWith(entries, { model: 'toString' }).priced).toBe(false);
});

test('our rows are those of a file, and their version belongs to them', () => {
  expect(parsePriceFile(JSON.stringify(ourModels)).entries).toEqual(ourModels);
  for (const { prices } of ourUnits)
    expect(parsePriceFile(JSON.stringify([{ model: 'm', prices }])).entries[0]?.prices).toEqual(prices);
  const text = JSON.stringify([ourModels, ourUnits, datedModels, datedTimes], (_name, value) =>
    value instanceof RegExp || typeof value === 'bigint' ? `${value}` : value,
  );
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  expect([ourVersion, digest]).toEqual(['supplement 2026-12-01', '5a5603b5']);
});
