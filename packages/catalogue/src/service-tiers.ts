/** What tokens cost, in times of the list price: so many of so many. */
export type TokenFactor = readonly [times: bigint, of: bigint];

interface TierPrice {
  factor: TokenFactor;
  /** Added to the price's version, so that a record shows the tier; empty for the standard tier. */
  mark: string;
}

const standardTiers = new Set(['default', 'standard', 'standard_only', 'on_demand', 'auto', 'unspecified']);

export const listPrice: TokenFactor = [1n, 1n];
const half = [[/./, 1n, 2n]] as const;
const tenPercentMore = [[/./, 11n, 10n]] as const;

type Factors = readonly (readonly [model: RegExp, ...factor: TokenFactor])[];

/** As the vendors document it (November 2026); the first pattern that a model matches counts. */
const factors: Readonly<Record<string, Readonly<Record<string, Factors>>>> = {
  openai: {
    batch: half,
    // Pictures that a flex response draws have no price of their own there.
    flex: [[/^(?!(?:chat)?gpt-image)/, 1n, 2n]],
    // https://openai.com/api-priority-processing
    priority: [
      [/^gpt-5\.5(?!-pro)/, 5n, 2n],
      [/^gpt-5-mini/, 9n, 5n],
      [/^gpt-4\.1-nano/, 2n, 1n],
      [/^(?:gpt-4\.1|o3$|o3-2025|gpt-4o-2024-05-13)/, 7n, 4n],
      [/^gpt-4o-mini/, 5n, 3n],
      [/^gpt-4o(?:$|-2024)/, 17n, 10n],
      [/^o4-mini/, 20n, 11n],
      [/^gpt-5/, 2n, 1n],
    ],
    // https://platform.openai.com/docs/pricing: data residency
    regional: [
      [/^gpt-5\.[4-9]/, 11n, 10n],
      [/./, ...listPrice],
    ],
  },
  azure: { batch: half },
  anthropic: {
    batch: half,
    // https://platform.claude.com/docs/en/build-with-claude/fast-mode
    fast: [
      [/opus-4-[67]/, 6n, 1n],
      [/opus-4-8/, 2n, 1n],
    ],
    // https://platform.claude.com/docs/en/build-with-claude/data-residency
    geo_us: tenPercentMore,
  },
  // https://ai.google.dev/gemini-api/docs/pricing
  google: {
    batch: half,
    flex: half,
    priority: [[/./, 9n, 5n]],
    // https://cloud.google.com/vertex-ai/generative-ai/pricing: Claude since 4.5 costs more outside of the global endpoint
    regional: [
      [/claude-(?:[23]|instant|(?:opus|sonnet)-4(?:-[01])?(?:@|-2|$))|gemini-[12]\D/, ...listPrice],
      [/claude/, 11n, 10n],
    ],
  },
  groq: { batch: half, flex: [[/./, ...listPrice]] },
  mistral: { batch: half },
};

/** Hosts that keep data in a region, at OpenAI and Vertex AI. */
const regionalHosts =
  /^(?:[a-z]{2}\.api\.openai\.com|[a-z]+-[a-z]+\d+-aiplatform\.googleapis\.com|aiplatform\.[a-z]+\.rep\.googleapis\.com)$/;

/** The tier that an address implies; null for most. */
export function readHostTier(baseUrl: string): string | null {
  return URL.canParse(baseUrl) && regionalHosts.test(new URL(baseUrl).hostname) ? 'regional' : null;
}

const none: readonly string[] = [];

/** Tiers as records name them, without the standard one; several are separated by `+`. Providers may send anything. */
export function readServiceTiers(given: string | null | undefined): readonly string[] {
  if (!given) return none;
  const tiers = given
    .toLowerCase()
    .split('+')
    .map((tier) => tier.replace(/^service_tier_/, ''))
    .filter((tier) => tier !== '' && !standardTiers.has(tier));
  return [...new Set(tiers.slice(0, 4).map((tier) => (/^[a-z0-9_-]{1,32}$/.test(tier) ? tier : 'unknown')))];
}

export function findTierFactor(tier: string, vendor: string | null, model: string): TokenFactor | null {
  const ofVendor = vendor !== null && Object.hasOwn(factors, vendor) ? factors[vendor] : undefined;
  const known = ofVendor && Object.hasOwn(ofVendor, tier) ? ofVendor[tier] : undefined;
  const [, ...factor] = known?.find(([pattern]) => pattern.test(model)) ?? [];
  return factor.length === 2 ? factor : null;
}

const standard: TierPrice = { factor: listPrice, mark: '' };

/** If only the standard price is listed: times what the vendor documents, else once, which the record says. */
export function priceTiers(tiers: readonly string[], vendor: string | null, model: string): TierPrice {
  if (tiers.length === 0) return standard;
  let [times, of]: TokenFactor = listPrice;
  let mark = '';
  for (const tier of tiers) {
    const known = findTierFactor(tier, vendor, model);
    const factor = known ?? listPrice;
    const share = Math.round(Number(factor[0] * 10_000n) / Number(factor[1])) / 10_000;
    if (known === null) mark += `, ${tier} at the standard price`;
    else mark += share === 1 ? `, ${tier}` : share === 0.5 ? `, ${tier} at half` : `, ${tier} at ${share} times`;
    [times, of] = [times * factor[0], of * factor[1]];
  }
  return { factor: [times, of], mark };
}
