import type { PriceEntry } from './price-file.ts';

/**
 * Identifies the rows below in records. A test fails if the rows change and this does not.
 */
export const supplementVersion = 'supplement 2026-11-21';

/** List prices that the library lacks, by the library's provider id. */
export const supplement: readonly (PriceEntry & { provider: string })[] = [
  // https://platform.openai.com/docs/pricing, speech generation: USD per million characters.
  { provider: 'openai', model: 'tts-1', prices: { input_mchars: 15 } },
  { provider: 'openai', model: 'tts-1-1106', prices: { input_mchars: 15 } },
  { provider: 'openai', model: 'tts-1-hd', prices: { input_mchars: 30 } },
  { provider: 'openai', model: 'tts-1-hd-1106', prices: { input_mchars: 30 } },
];
