import type { IncomingHttpHeaders } from 'node:http';

/** Tiers at the list price or below, and the default. */
const plainTiers = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex', 'batch']);

/** A service tier in lower case, without the prefix of Google's names; null for one that costs no more than the standard. */
export function foldTier(value: string): string | null {
  const tier = value.toLowerCase().replace(/^service_tier_/, '');
  return plainTiers.has(tier) ? null : tier;
}

/** Headers that choose a service tier beside the body, on Vertex AI and on Bedrock. */
const tierHeaders = ['x-vertex-ai-llm-shared-request-type', 'x-amzn-bedrock-service-tier'];

/**
 * The tier that headers ask for, folded as in bodies; null if it costs no more than the standard. Repeated, it is an unknown
 * one.
 */
export function readTierHeader(headers: IncomingHttpHeaders): string | null {
  const tiers = tierHeaders.flatMap((name) => headers[name] ?? []).flatMap((value) => foldTier(value) ?? []);
  return tiers.length === 0 ? null : tiers.join(', ');
}
