/** Nano-dollars per token: the list price in USD per million tokens, times a thousand. */
export interface ListPrice {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
}

/** Tokens of one call, each counted once. */
export interface BilledTokens {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  /** Reasoning is billed as output by all three. */
  output: number;
}

const price = (input: number, cacheRead: number, output: number): ListPrice => ({
  input,
  cacheRead,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output,
});

/** Anthropic's cache: a tenth of the input price to read, 1.25 times to write for 5 minutes, twice for an hour. */
const anthropic = (input: number, output: number): ListPrice => ({
  input,
  cacheRead: input / 10,
  cacheWrite5m: (input * 5) / 4,
  cacheWrite1h: input * 2,
  output,
});

/** Typed from the providers' price pages, not from the library that the proxy prices with. */
const listPrices: Record<string, ListPrice> = {
  'gpt-5': price(1_250, 125, 10_000),
  'gpt-5-mini': price(250, 25, 2_000),
  'gpt-4.1': price(2_000, 500, 8_000),
  'gpt-3.5-turbo-instruct': price(1_500, 1_500, 2_000),
  'text-embedding-3-small': price(20, 20, 0),
  'text-embedding-3-large': price(130, 130, 0),
  'claude-opus-4-5': anthropic(5_000, 25_000),
  'claude-haiku-4-5': anthropic(1_000, 5_000),
  'gemini-2.5-flash': price(300, 30, 2_500),
  'gemini-2.5-pro': price(1_250, 125, 10_000),
};

/** Above this much input Gemini 2.5 Pro costs more, input and output alike. */
const proTier = { above: 200_000, ...price(2_500, 250, 15_000) };

/** What the provider charges for a call, in nano-dollars. */
export function chargeTokens(model: string, tokens: BilledTokens): number {
  const isLong = model === 'gemini-2.5-pro' && tokens.input + tokens.cacheRead > proTier.above;
  const rate = isLong ? proTier : listPrices[model];
  if (!rate) throw new Error(`no list price of ${model}`);
  return (
    tokens.input * rate.input +
    tokens.cacheRead * rate.cacheRead +
    tokens.cacheWrite5m * rate.cacheWrite5m +
    tokens.cacheWrite1h * rate.cacheWrite1h +
    tokens.output * rate.output
  );
}
