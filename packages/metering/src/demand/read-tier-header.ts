import type { IncomingHttpHeaders } from 'node:http';
import { foldTier } from './fold-tier.ts';

/** Headers that choose a service tier beside the body, on Vertex AI and on Bedrock. */
const tierHeaders = ['x-vertex-ai-llm-shared-request-type', 'x-amzn-bedrock-service-tier'];

/**
 * The service tier that a request's headers ask for, folded as tiers in bodies are; null where they ask for none, or for one that
 * costs no more than the standard. Values of a repeated header are one value, of an unknown tier.
 */
export function readTierHeader(headers: IncomingHttpHeaders): string | null {
  const tiers = tierHeaders.flatMap((name) => headers[name] ?? []).flatMap((value) => foldTier(value) ?? []);
  return tiers.length === 0 ? null : tiers.join(', ');
}
