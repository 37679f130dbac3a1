import type { Usage } from './usage.ts';

/** Something that has a price. */
export interface Unit {
  /** Its name in price rows: the library's, if the library has one. */
  readonly priceKey: string;
  readonly usageKey: keyof Usage | 'requests';
  /** Units that this one is a part of: amounts charged here are not charged there. */
  readonly within: readonly string[];
  /** How many nano-dollars per unit one USD of the row's price is: `nano` of them for every `per` units. */
  readonly nano: bigint;
  readonly per: bigint;
}

const usd = 1_000_000_000n;

function unit(priceKey: string, usageKey: Unit['usageKey'], within: readonly string[] = []): Unit {
  if (priceKey.endsWith('_hours')) return { priceKey, usageKey, within, nano: usd, per: 3_600n };
  return { priceKey, usageKey, within, nano: priceKey.endsWith('_kcount') ? usd / 1_000n : usd / 1_000_000n, per: 1n };
}

/** The units that calls are metered in, each before the units that it is a part of. */
export const units = [
  unit('cache_audio_read_mtok', 'cacheReadAudioTokens', ['cache_read_mtok', 'input_audio_mtok', 'input_mtok']),
  unit('cache_image_read_mtok', 'cacheReadImageTokens', ['cache_read_mtok', 'input_image_mtok', 'input_mtok']),
  unit('cache_write_1h_mtok', 'cacheWrite1hTokens', ['cache_write_mtok', 'input_mtok']),
  unit('cache_read_mtok', 'cacheReadTokens', ['input_mtok']),
  unit('cache_write_mtok', 'cacheWriteTokens', ['input_mtok']),
  unit('input_audio_mtok', 'inputAudioTokens', ['input_mtok']),
  unit('input_image_mtok', 'inputImageTokens', ['input_mtok']),
  unit('input_video_mtok', 'inputVideoTokens', ['input_mtok']),
  unit('input_mtok', 'promptTokens'),
  unit('output_reasoning_mtok', 'reasoningTokens', ['output_mtok']),
  unit('output_audio_mtok', 'outputAudioTokens', ['output_mtok']),
  unit('output_image_mtok', 'outputImageTokens', ['output_mtok']),
  unit('output_video_mtok', 'outputVideoTokens', ['output_mtok']),
  unit('output_mtok', 'completionTokens'),
  unit('input_audio_hours', 'inputAudioSeconds'),
  unit('input_mchars', 'inputCharacters'),
  unit('output_images_kcount', 'outputImages'),
  unit('web_searches_kcount', 'webSearches'),
  unit('requests_kcount', 'requests'),
] as const satisfies readonly Unit[];

/** Whether a unit counts tokens, to which discounts of service tiers apply. */
export function isToken({ priceKey }: Unit): boolean {
  return priceKey.endsWith('_mtok');
}
