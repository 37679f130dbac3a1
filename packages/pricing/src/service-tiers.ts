/** The effect of a service tier on a price. */
export interface TierPrice {
  /** Tokens cost half. */
  half: boolean;
  /** Added to the price's version, so that a record shows the tier; empty for the standard tier. */
  mark: string;
}

/** Providers' names for the tier that their price lists are for. */
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

/** The tier as records name it, or null for the standard one. Providers may send anything. */
export function readServiceTier(given: string | null | undefined): string | null {
  if (!given) return null;
  const tier = given.toLowerCase();
  if (standardTiers.has(tier)) return null;
  return /^[a-z0-9_-]{1,32}$/.test(tier) ? tier : 'unknown';
}

/**
 * The price of a tier when only the standard price is listed: half if the vendor documents that, otherwise the standard
 * price, which the record then says.
 *
 * @param tier from {@link readServiceTier}
 * @param vendor the library's id of the provider whose list is used
 */
export function priceTier(tier: string | null, vendor: string | null): TierPrice {
  if (tier === null) return { half: false, mark: '' };
  const has = (table: Record<string, readonly string[]>) =>
    vendor !== null && Object.hasOwn(table, vendor) && table[vendor]?.includes(tier) === true;
  if (has(halfPriceTiers)) return { half: true, mark: `, ${tier} at half` };
  return { half: false, mark: has(samePriceTiers) ? `, ${tier}` : `, ${tier} at the standard price` };
}
