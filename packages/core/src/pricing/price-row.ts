import type { ModelPrice } from '@pydantic/genai-prices';
import type { Usage } from './usage.ts';

/** A price as it stands in the library's row: USD per `per` units, by size of the input where it is tiered. */
interface Unit {
  readonly priceKey: string;
  readonly usageKey: keyof Usage | 'requests';
  /** Units that this one is a part of: what is charged here is not charged there. */
  readonly within: readonly string[];
  /** How many nano-dollars per unit one USD of the row's price is. */
  readonly nanoPerUsd: bigint;
}

const perMillion = 1_000n;
const perThousand = 1_000_000n;

const unit = (priceKey: string, usageKey: Unit['usageKey'], within: readonly string[], nanoPerUsd = perMillion) =>
  ({ priceKey, usageKey, within, nanoPerUsd }) satisfies Unit;

/** The units of the library's rows that calls are metered in, each before those that it is a part of. */
const units: readonly Unit[] = [
  unit('cache_audio_read_mtok', 'cacheReadAudioTokens', ['cache_read_mtok', 'input_audio_mtok', 'input_mtok']),
  unit('cache_image_read_mtok', 'cacheReadImageTokens', ['cache_read_mtok', 'input_image_mtok', 'input_mtok']),
  unit('cache_write_1h_mtok', 'cacheWrite1hTokens', ['cache_write_mtok', 'input_mtok']),
  unit('cache_read_mtok', 'cacheReadTokens', ['input_mtok']),
  unit('cache_write_mtok', 'cacheWriteTokens', ['input_mtok']),
  unit('input_audio_mtok', 'inputAudioTokens', ['input_mtok']),
  unit('input_image_mtok', 'inputImageTokens', ['input_mtok']),
  unit('input_video_mtok', 'inputVideoTokens', ['input_mtok']),
  unit('input_mtok', 'promptTokens', []),
  unit('output_reasoning_mtok', 'reasoningTokens', ['output_mtok']),
  unit('output_audio_mtok', 'outputAudioTokens', ['output_mtok']),
  unit('output_image_mtok', 'outputImageTokens', ['output_mtok']),
  unit('output_video_mtok', 'outputVideoTokens', ['output_mtok']),
  unit('output_mtok', 'completionTokens', []),
  unit('web_searches_kcount', 'webSearches', [], perThousand),
  unit('requests_kcount', 'requests', [], perThousand),
];

interface Rate {
  /** Input above this many tokens pays this rate for all of the call. */
  readonly above: number;
  /** Nano-dollars per unit, times the row's `scale`. */
  readonly nano: bigint;
}

/** One model's prices at one time, as whole numbers. */
export interface PriceRow {
  /** All rates are whole numbers of 1/scale nano-dollars. */
  readonly scale: bigint;
  readonly terms: readonly { readonly unit: Unit; readonly rates: readonly [Rate, ...Rate[]] }[];
}

/** Digits and decimal places of the shortest decimal that reads as this number. */
function toDecimal(value: number): { digits: bigint; places: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/** Turns a row of the library's price data into whole numbers, once, so that no float is ever added. */
export function compilePriceRow(prices: ModelPrice): PriceRow {
  const decimals: { unit: Unit; rates: { above: number; digits: bigint; places: number }[] }[] = [];
  for (const unit of units) {
    const price = prices[unit.priceKey];
    if (price === undefined) continue;
    const steps =
      typeof price === 'number'
        ? [{ above: -1, price }]
        : [{ above: -1, price: price.base }, ...price.tiers.map((tier) => ({ above: tier.start, price: tier.price }))];
    decimals.push({ unit, rates: steps.map((step) => ({ above: step.above, ...toDecimal(step.price) })) });
  }
  const places = Math.max(0, ...decimals.flatMap((term) => term.rates.map((rate) => rate.places)));
  const terms = decimals.map(({ unit, rates }) => {
    const [base, ...tiers] = rates
      .map((rate) => ({ above: rate.above, nano: rate.digits * 10n ** BigInt(places - rate.places) * unit.nanoPerUsd }))
      .sort((a, b) => a.above - b.above);
    if (base === undefined) throw new TypeError('a price has no rate');
    return { unit, rates: [base, ...tiers] as const };
  });
  return { scale: 10n ** BigInt(places), terms };
}

/**
 * What a call costs by a row, in whole nano-dollars, rounded once, halves up. Tokens that have a
 * price of their own (cached, audio, reasoning ...) are charged that and not the general one.
 */
export function chargeUsage(row: PriceRow, usage: Usage): number {
  const left = new Map<string, number>();
  for (const { unit } of row.terms) left.set(unit.priceKey, unit.usageKey === 'requests' ? 1 : usage[unit.usageKey]);
  let scaled = 0n;
  for (const { unit, rates } of row.terms) {
    const charged = Math.max(0, left.get(unit.priceKey) ?? 0);
    if (charged === 0) continue;
    for (const whole of unit.within) left.set(whole, (left.get(whole) ?? 0) - charged);
    let rate = rates[0];
    for (const step of rates) if (usage.promptTokens > step.above) rate = step;
    scaled += BigInt(charged) * rate.nano;
  }
  return Number((scaled + row.scale / 2n) / row.scale);
}
