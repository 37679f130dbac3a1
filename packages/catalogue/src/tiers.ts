import { datedTimes, isInForce } from './dated-prices.ts';
import { regionalHosts, tierTimes } from './prices.ts';

/** What tokens cost, in times of the list price: so many of so many. */
export type TokenFactor = readonly [times: bigint, of: bigint];

export interface TierPrice {
  factor: TokenFactor;
  /** Added to the price's version, so that a record shows the tier; empty for the standard tier. */
  mark: string;
}

const standardTiers = new Set(['default', 'standard', 'standard_only', 'on_demand', 'auto', 'unspecified']);

export const listPrice: TokenFactor = [1n, 1n];

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

/** The name by which OpenAI sells `priority` since July 2026; answers tell the older one. */
const renamed = (tier: string, vendor: string | null) => (vendor === 'openai' && tier === 'fast' ? 'priority' : tier);

export function findTierFactor(given: string, vendor: string | null, model: string, at: Date): TokenFactor | null {
  const tier = renamed(given, vendor);
  const dated = datedTimes.find(
    (row) => row.provider === vendor && row.tier === tier && row.model.test(model) && isInForce(row, at),
  );
  if (dated) return [dated.times, dated.of];
  const found = tierTimes.find((row) => row[0] === vendor && row[1] === tier && row[2].test(model));
  return found ? [found[3], found[4]] : null;
}

const standard: TierPrice = { factor: listPrice, mark: '' };

/** If only the standard price is listed: times what the vendor documents, else once, which the record says. */
export function priceTiers(tiers: readonly string[], vendor: string | null, model: string, at: Date): TierPrice {
  if (tiers.length === 0) return standard;
  let [times, of]: TokenFactor = listPrice;
  let mark = '';
  for (const tier of tiers) {
    const known = findTierFactor(tier, vendor, model, at);
    const factor = known ?? listPrice;
    const share = Math.round(Number(factor[0] * 10_000n) / Number(factor[1])) / 10_000;
    if (known === null) mark += `, ${tier} at the standard price`;
    else mark += share === 1 ? `, ${tier}` : share === 0.5 ? `, ${tier} at half` : `, ${tier} at ${share} times`;
    [times, of] = [times * factor[0], of * factor[1]];
  }
  return { factor: [times, of], mark };
}
