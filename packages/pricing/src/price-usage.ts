import type { ModelPrice } from '@pydantic/genai-prices';
import {
  createPriceBook,
  type PriceBookOptions,
  type PricedCall,
  type PricedModel,
  type PriceUsage,
  priceVersion,
  readPricesAt,
  supplementVersion,
  type UsagePrice,
} from './price-book.ts';
import { holdsAt, type PriceFile } from './price-file.ts';
import { chargeUsage } from './price-row.ts';
import { makeUsage } from './usage.ts';

interface TierPrice {
  half: boolean;
  /** Added to the price's version, so that a record shows the tier; empty for the standard tier. */
  mark: string;
}

const standardTiers = new Set(['default', 'standard', 'on_demand', 'auto', 'unspecified']);

/** Half of the list price for tokens, as the vendors document it. */
const halfPriceTiers: Record<string, readonly string[]> = {
  openai: ['batch', 'flex'],
  azure: ['batch'],
  anthropic: ['batch'],
  google: ['batch', 'flex'],
  groq: ['batch'],
  mistral: ['batch'],
};

const samePriceTiers: Record<string, readonly string[]> = { groq: ['flex'] };

/** The tier as records name it, or null for the standard one. Providers may send anything. */
export function readServiceTier(given: string | null | undefined): string | null {
  if (!given) return null;
  const tier = given.toLowerCase();
  if (standardTiers.has(tier)) return null;
  return /^[a-z0-9_-]{1,32}$/.test(tier) ? tier : 'unknown';
}

/** If only the standard price is listed: half if the vendor documents that, else the standard, which the record says. */
export function priceTier(tier: string | null, vendor: string | null): TierPrice {
  if (tier === null) return { half: false, mark: '' };
  const has = (table: Record<string, readonly string[]>) =>
    vendor !== null && Object.hasOwn(table, vendor) && table[vendor]?.includes(tier) === true;
  if (has(halfPriceTiers)) return { half: true, mark: `, ${tier} at half` };
  return { half: false, mark: has(samePriceTiers) ? `, ${tier}` : `, ${tier} at the standard price` };
}

const unpriced: UsagePrice = { costNanoUsd: 0, priceVersion: null, priced: false };

export interface ChosenPrices {
  prices: ModelPrice;
  half: boolean;
  version: string;
}

export function choosePrices(
  model: PricedModel,
  call: Pick<PricedCall, 'at' | 'serviceTier'>,
  file: PriceFile | null,
): ChosenPrices | null {
  const tier = readServiceTier(call.serviceTier);
  const entry = model.entries.find((each) => holdsAt(each, call.at));
  if (entry && file) {
    const version = `${priceVersion} + ${file.version}`;
    const own = tier !== null && entry.service_tiers?.[tier];
    if (own) return { prices: own, half: false, version: `${version}, ${tier}` };
    return { prices: entry.prices, half: false, version: version + priceTier(tier, null).mark };
  }
  const { half, mark } = priceTier(tier, model.vendor);
  const listed = model.listed && readPricesAt(model.listed, call.at);
  if (listed) return { prices: listed, half, version: priceVersion + mark };
  if (!model.supplement) return null;
  return { prices: model.supplement.prices, half, version: `${priceVersion} + ${supplementVersion}${mark}` };
}

export function createPriceUsage(options: PriceBookOptions = {}): PriceUsage {
  const book = createPriceBook(options);
  const { file = null } = options;
  return (call) => {
    // No model has a longer name, and matching it against every pattern takes time.
    if (call.model.length > 256 || Number.isNaN(call.at.getTime())) return unpriced;
    const chosen = choosePrices(book.find(call), call, file);
    const costNanoUsd = chosen && chargeUsage(book.compile(chosen.prices, chosen.half), makeUsage({ ...call.usage }));
    return costNanoUsd === null ? unpriced : { costNanoUsd, priceVersion: chosen?.version ?? null, priced: true };
  };
}
