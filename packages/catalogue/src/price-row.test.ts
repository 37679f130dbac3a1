import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeUsage, type Usage } from './figures.ts';
import { chargeUsage, compilePriceRow } from './price-row.ts';

/** A call taken apart: every token and thing is in one of these, which is what makes the parts easy to add. */
interface Parts {
  text: number;
  cachedText: number;
  cachedAudio: number;
  cachedImage: number;
  write5m: number;
  write1h: number;
  audio: number;
  image: number;
  video: number;
  words: number;
  thoughts: number;
  spoken: number;
  drawn: number;
  filmed: number;
  seconds: number;
  characters: number;
  images: number;
  searches: number;
}

const names = [
  ...['text', 'cachedText', 'cachedAudio', 'cachedImage', 'write5m', 'write1h', 'audio', 'image', 'video'],
  ...['words', 'thoughts', 'spoken', 'drawn', 'filmed', 'seconds', 'characters', 'images', 'searches'],
] as (keyof Parts)[];

const nothing = Object.fromEntries(names.map((name) => [name, 0])) as unknown as Parts;

function toUsage(part: Parts): Usage {
  return makeUsage({
    promptTokens: sizeOf(part),
    cacheReadTokens: part.cachedText + part.cachedAudio + part.cachedImage,
    cacheReadAudioTokens: part.cachedAudio,
    cacheReadImageTokens: part.cachedImage,
    cacheWriteTokens: part.write5m + part.write1h,
    cacheWrite1hTokens: part.write1h,
    inputAudioTokens: part.audio + part.cachedAudio,
    inputImageTokens: part.image + part.cachedImage,
    inputVideoTokens: part.video,
    completionTokens: part.words + part.thoughts + part.spoken + part.drawn + part.filmed,
    reasoningTokens: part.thoughts,
    outputAudioTokens: part.spoken,
    outputImageTokens: part.drawn,
    outputVideoTokens: part.filmed,
    inputAudioSeconds: part.seconds,
    inputCharacters: part.characters,
    outputImages: part.images,
    webSearches: part.searches,
  });
}

/** All of the input, which decides the step. */
function sizeOf({ text, cachedText, cachedAudio, cachedImage, write5m, write1h, audio, image, video }: Parts): number {
  return text + cachedText + cachedAudio + cachedImage + write5m + write1h + audio + image + video;
}

/** Where each part's price is looked for, the first that the row has. */
const priceOf: Record<keyof Parts, string[]> = {
  text: ['input_mtok'],
  cachedText: ['cache_read_mtok', 'input_mtok'],
  cachedAudio: ['cache_audio_read_mtok', 'cache_read_mtok', 'input_audio_mtok', 'input_mtok'],
  cachedImage: ['cache_image_read_mtok', 'cache_read_mtok', 'input_image_mtok', 'input_mtok'],
  write5m: ['cache_write_mtok', 'input_mtok'],
  write1h: ['cache_write_1h_mtok', 'cache_write_mtok', 'input_mtok'],
  audio: ['input_audio_mtok', 'input_mtok'],
  image: ['input_image_mtok', 'input_mtok'],
  video: ['input_video_mtok', 'input_mtok'],
  words: ['output_mtok'],
  thoughts: ['output_reasoning_mtok', 'output_mtok'],
  spoken: ['output_audio_mtok', 'output_mtok'],
  drawn: ['output_image_mtok', 'output_mtok'],
  filmed: ['output_video_mtok', 'output_mtok'],
  seconds: ['input_audio_hours'],
  characters: ['input_mchars'],
  images: ['output_images_kcount'],
  searches: ['web_searches_kcount'],
};

/** A price in units of 1e-6 USD, so that the reference needs no decimals; with steps, lowest first. */
interface TestPrice {
  base: number;
  tiers: { start: number; price: number }[];
}
type TestRow = Record<string, TestPrice>;

const toPrices = (row: TestRow) =>
  Object.fromEntries(
    Object.entries(row).map(([key, { base, tiers }]) => [
      key,
      tiers.length === 0
        ? base / 1e6
        : { base: base / 1e6, tiers: tiers.map(({ start, price }) => ({ start, price: price / 1e6 })) },
    ]),
  );

/** The cost in whole nano-dollars by a second way: part by part, over one denominator, rounded at the end. */
function referenceCost(row: TestRow, part: Parts, half = false): bigint {
  // Parts of 1e-15 * 1/7200 USD: whole for every price, unit and half.
  let total = 0n;
  for (const name of [...names, 'request' as const]) {
    const key = name === 'request' ? 'requests_kcount' : priceOf[name].find((each) => row[each]);
    const price = key && row[key];
    if (!price) continue;
    const step = price.tiers.filter(({ start }) => sizeOf(part) > start).at(-1);
    const perUnit = key.endsWith('_hours') ? 10n ** 9n * 2n : 7_200n * (key.endsWith('_kcount') ? 10n ** 6n : 1_000n);
    const count = BigInt(name === 'request' ? 1 : part[name]);
    const cost = count * BigInt(step?.price ?? price.base) * perUnit;
    total += half && key.endsWith('_mtok') ? cost / 2n : cost;
  }
  const nano = 7_200n * 10n ** 6n;
  return (total + nano / 2n) / nano;
}

const amount = fc.oneof(
  fc.nat(100_000_000),
  fc.nat(1_000).map((cents) => cents * 10_000),
  fc.constant(0),
);
const price: fc.Arbitrary<TestPrice> = fc.oneof(
  { weight: 3, arbitrary: amount.map((base) => ({ base, tiers: [] })) },
  {
    weight: 1,
    arbitrary: fc.record({
      base: amount,
      tiers: fc
        .uniqueArray(fc.record({ start: fc.nat(5_000), price: amount }), {
          minLength: 1,
          maxLength: 3,
          selector: ({ start }) => start,
        })
        .map((tiers) => tiers.sort((a, b) => a.start - b.start)),
    }),
  },
);
const keys = [...new Set(Object.values(priceOf).flat()), 'requests_kcount'];
const row = fc.dictionary(fc.constantFrom(...keys), price, { maxKeys: keys.length });
const count = fc.oneof(fc.nat(3), fc.nat(700), fc.nat(9_000));
const parts = fc.record(Object.fromEntries(names.map((name) => [name, count]))) as unknown as fc.Arbitrary<Parts>;

const charge = (prices: TestRow, part: Parts, half = false) =>
  chargeUsage(compilePriceRow(toPrices(prices), half ? [1n, 2n] : [1n, 1n]), toUsage(part));

describe('a cost', () => {
  test('equals exact arithmetic over its parts, at every unit, step and half', () => {
    fc.assert(
      fc.property(row, parts, fc.boolean(), (prices, part, half) => {
        const priced = charge(prices, part, half);
        expect(BigInt(priced ?? 0)).toBe(referenceCost(prices, part, half));
      }),
      { numRuns: 400 },
    );
  });

  test('is exact on each side of a step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4_000 }),
        fc.constantFrom(-1, 0, 1),
        amount,
        amount,
        (start, beside, low, high) => {
          const part = { ...nothing, text: Math.max(0, start + beside), words: 10 };
          const stepped = { base: low, tiers: [{ start, price: high }] };
          const perToken = BigInt(part.text > start ? high : low);
          const expected = (BigInt(part.text) * perToken + 10n * perToken + 500n) / 1_000n;
          expect(charge({ input_mtok: stepped, output_mtok: stepped }, part)).toBe(Number(expected));
        },
      ),
    );
  });

  test('that is larger than any number that JSON holds exactly is the largest that it does', () => {
    const usage = makeUsage({ promptTokens: 1_000_000_000, completionTokens: 1_000_000_000 });
    const prices = { input_mtok: 100_000, output_mtok: 100_000 };
    expect(chargeUsage(compilePriceRow(prices), usage)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('no cost', () => {
  test.each<[string, Record<string, number>, Partial<Usage>, number | null]>([
    ['nothing was used', { input_mtok: 1 }, {}, 0],
    ['what was used is free', { input_mtok: 0 }, { promptTokens: 5 }, 0],
    ['the row is empty, as the library writes free models', {}, { promptTokens: 5 }, 0],
    ['the row has only units that are not metered', { input_gpixels: 4 }, { promptTokens: 5 }, null],
    ['nothing that was used has a price', { input_mtok: 1 }, { inputAudioSeconds: 5 }, null],
  ])('where %s', (_when, prices, usage, expected) => {
    expect(chargeUsage(compilePriceRow(prices), makeUsage(usage))).toBe(expected);
  });
});
