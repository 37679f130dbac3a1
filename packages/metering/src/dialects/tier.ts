import type { IncomingHttpHeaders } from 'node:http';

const plainTiers = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch']);

/** A service tier in lower case, without the prefix of Google's names; null for one that costs no more than the standard. */
export function foldTier(value: string): string | null {
  const tier = value.toLowerCase().replace(/^service_tier_/, '');
  return plainTiers.has(tier) ? null : tier;
}

const tierHeaders = ['x-vertex-ai-llm-shared-request-type', 'x-amzn-bedrock-service-tier'];

/** Folded as in bodies; null if it costs no more than the standard. Repeated, it is an unknown one. */
export function readTierHeader(headers: IncomingHttpHeaders): string | null {
  const tiers = tierHeaders.flatMap((name) => headers[name] ?? []).flatMap((value) => foldTier(value) ?? []);
  return tiers.length === 0 ? null : tiers.join(', ');
}
