/** Tiers at the list price or below, and the default. */
const plainTiers = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch']);

/** A service tier in lower case, without the prefix of Google's names; null for one that costs no more than the standard. */
export function foldTier(value: string): string | null {
  const tier = value.toLowerCase().replace(/^service_tier_/, '');
  return plainTiers.has(tier) ? null : tier;
}
