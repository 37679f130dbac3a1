/** What a service tier does to a price. */
export interface TierPrice {
  /** Tokens cost half. */
  half: boolean;
  /** What is added to the price's version, so that a record tells what was charged; empty for the standard tier. */
  mark: string;
}

/** How providers call the tier that their price lists are for. */
const standardTiers = new Set(['default', 'standard', 'on_demand', 'auto', 'unspecified']);

/**
 * The tiers that cost half of the list price for tokens, by the library's provider id, as the vendors document it:
 * OpenAI's Batch API and flex processing, Azure's global batch, Anthropic's message batches, Gemini's batch and flex
 * inference, Groq's and Mistral's batches.
 */
const halfPriceTiers: Record<string, readonly string[]> = {
  openai: ['batch', 'flex'],
  azure: ['batch'],
  anthropic: ['batch'],
  google: ['batch', 'flex'],
  groq: ['batch'],
  mistral: ['batch'],
};

/** The tiers that cost what the standard one does: Groq's flex differs in its rate limits only. */
const samePriceTiers: Record<string, readonly string[]> = { groq: ['flex'] };

/** The tier as records name it, or null for the standard one. What a provider says may be anything. */
export function readServiceTier(given: string | null | undefined): string | null {
  if (!given) return null;
  const tier = given.toLowerCase();
  if (standardTiers.has(tier)) return null;
  return /^[a-z0-9_-]{1,32}$/.test(tier) ? tier : 'unknown';
}

/**
 * The price of a tier where only the standard price is listed: half where the vendor says so, otherwise the standard
 * price, which is then marked as such rather than guessed at.
 *
 * @param tier from {@link readServiceTier}
 * @param vendor the library's id of the provider whose list it is
 */
export function priceTier(tier: string | null, vendor: string | null): TierPrice {
  if (tier === null) return { half: false, mark: '' };
  const has = (table: Record<string, readonly string[]>) =>
    vendor !== null && Object.hasOwn(table, vendor) && table[vendor]?.includes(tier) === true;
  if (has(halfPriceTiers)) return { half: true, mark: `, ${tier} at half` };
  return { half: false, mark: has(samePriceTiers) ? `, ${tier}` : `, ${tier} at the standard price` };
}
