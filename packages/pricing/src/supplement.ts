import type { PriceEntry } from './price-file.ts';

/**
 * List prices that the library lacks, by the library's provider id. A test holds the version to the rows: whoever
 * changes one changes the other, since records name it.
 */
export const supplementVersion = 'supplement 2026-11-21';

export const supplement: readonly (PriceEntry & { provider: string })[] = [
  // https://platform.openai.com/docs/pricing, speech generation: USD per million characters.
  { provider: 'openai', model: 'tts-1', prices: { input_mchars: 15 } },
  { provider: 'openai', model: 'tts-1-1106', prices: { input_mchars: 15 } },
  { provider: 'openai', model: 'tts-1-hd', prices: { input_mchars: 30 } },
  { provider: 'openai', model: 'tts-1-hd-1106', prices: { input_mchars: 30 } },
];
