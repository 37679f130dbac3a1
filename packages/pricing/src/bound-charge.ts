import type { PriceRow } from './price-row.ts';

/** The most that a call may use, whatever kind each token turns out to be. */
export interface UsageLimits {
  inputTokens: number;
  outputTokens: number;
  webSearches: number;
  /** Characters to be spoken, if the provider bills those. */
  inputCharacters: number;
  /** Images to be made, if the provider bills each. */
  outputImages: number;
}

type Rates = PriceRow['terms'][number]['rates'];

const writes = new Set(['cache_write_mtok', 'cache_write_1h_mtok']);
const media = new Set(['input_audio_mtok', 'input_image_mtok', 'input_video_mtok']);
const counted = {
  web_searches_kcount: 'webSearches',
  input_mchars: 'inputCharacters',
  output_images_kcount: 'outputImages',
} as const satisfies Record<string, keyof UsageLimits>;

/** The dearest rate that an input of at most this many tokens may pay. */
function dearest(rates: Rates, inputTokens: number): bigint {
  return rates.reduce((most, { above, nano }) => (above < inputTokens && nano > most ? nano : most), rates[0].nano);
}

/**
 * The most that a row may charge for a call within these limits, in whole nano-dollars, rounded up: each token at the
 * dearest kind that it can be. A token written to the cache may also be one of sound or of a picture, and be charged as both.
 *
 * @returns null if there is no bound, or the row has no price for something that would be billed
 */
export function boundCharge(row: PriceRow, limits: UsageLimits): number | null {
  if (row.free) return 0;
  let input = 0n;
  let written = 0n;
  let seen = 0n;
  let output: bigint | null = null;
  let scaled = 0n;
  let isPriced = false;
  for (const { unit, rates } of row.terms) {
    const { priceKey } = unit;
    const rate = dearest(rates, limits.inputTokens);
    const most = (other: bigint) => (rate > other ? rate : other);
    if (priceKey === 'input_audio_hours') return null;
    if (priceKey === 'requests_kcount') scaled += rate;
    else if (priceKey in counted) {
      const count = limits[counted[priceKey as keyof typeof counted]];
      scaled += BigInt(count) * rate;
      isPriced ||= count > 0 && priceKey !== 'web_searches_kcount';
    } else if (priceKey.startsWith('output_')) output = most(output ?? 0n);
    else {
      isPriced = true;
      input = most(input);
      if (writes.has(priceKey)) written = most(written);
      if (media.has(priceKey)) seen = most(seen);
    }
  }
  const isCounted = limits.inputCharacters + limits.outputImages > 0;
  if (!isPriced || (output === null && limits.outputTokens > 0 && !isCounted)) return null;
  if (limits.webSearches > 0 && !row.terms.some(({ unit }) => unit.priceKey === 'web_searches_kcount')) return null;
  const both = written > 0n && seen > 0n ? written + seen : 0n;
  scaled += BigInt(limits.inputTokens) * (both > input ? both : input);
  scaled += BigInt(limits.outputTokens) * (output ?? 0n);
  const nano = (scaled + row.scale - 1n) / row.scale;
  return nano < Number.MAX_SAFE_INTEGER ? Number(nano) : Number.MAX_SAFE_INTEGER;
}
