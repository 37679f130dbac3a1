/** What a provider charges for a model, from its own price list: nano-dollars for each token, character or search. */
export interface ListPrice {
  /** The dearest kind of input: written to the cache for an hour, or sound, or a picture. */
  input: number;
  output: number;
  /** Of input beyond so many tokens. */
  long?: { above: number; input: number; output: number };
  /** Tokens that it reads at most. */
  context: number;
  search?: number;
  character?: number;
  /** What it calls itself when it answers. */
  answersAs?: string;
}

/** USD per million tokens are thousands of nano-dollars per token. */
export const listPrices: Readonly<Record<string, ListPrice>> = {
  'gpt-4o-mini': { input: 150, output: 600, context: 128_000, search: 10_000_000 },
  'gpt-4o': { input: 5_000, output: 15_000, context: 128_000, search: 10_000_000, answersAs: 'gpt-4o-2024-05-13' },
  'gpt-5-nano': { input: 50, output: 400, context: 400_000, search: 10_000_000 },
  'gpt-5.4': {
    input: 2_500,
    output: 15_000,
    long: { above: 272_000, input: 5_000, output: 22_500 },
    context: 1_050_000,
    search: 10_000_000,
  },
  'gpt-audio-mini': { input: 10_000, output: 20_000, context: 128_000 },
  'gpt-image-1-mini': { input: 2_500, output: 8_000, context: 1_000_000 },
  'text-embedding-3-small': { input: 20, output: 0, context: 8_192 },
  'tts-1': { input: 0, output: 0, context: 4_096, character: 15_000 },
  'claude-haiku-4-5': { input: 2_000, output: 5_000, context: 200_000, search: 10_000_000 },
  'claude-opus-4-6': { input: 10_000, output: 25_000, context: 1_000_000, search: 10_000_000 },
  'gemini-2.5-flash': { input: 1_000, output: 2_500, context: 1_048_576 },
  'gemini-2.5-pro': {
    input: 1_250,
    output: 10_000,
    long: { above: 200_000, input: 2_500, output: 15_000 },
    context: 1_048_576,
  },
  'gemini-embedding-001': { input: 150, output: 0, context: 8_192 },
};

/** What a name that nobody has heard of turns out to be. */
export const dearestPrice: ListPrice = { input: 60_000, output: 270_000, context: 1_050_000, search: 10_000_000 };

/** What a call used. */
export interface BilledUsage {
  inputTokens: number;
  outputTokens: number;
  searches: number;
  characters: number;
}

/** In nano-dollars. */
export function chargeCall(price: ListPrice, used: BilledUsage): number {
  const isLong = price.long !== undefined && used.inputTokens > price.long.above;
  const { input, output } = isLong && price.long ? price.long : price;
  const tokens = used.inputTokens * input + used.outputTokens * output;
  return tokens + used.searches * (price.search ?? 10_000_000) + used.characters * (price.character ?? 0);
}
