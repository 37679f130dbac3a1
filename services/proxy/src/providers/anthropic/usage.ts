import { makeUsage, readCount, type Usage } from '@agp/core/pricing';
import { asObject, type JsonObject, optionalCount } from '../json-shapes.ts';

/**
 * Usage of messages. Anthropic's `input_tokens` are those that touched no cache, so that all input is
 * the sum of three figures; the split of cache writes by lifetime is a part of the second.
 */
export function readMessageUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const input = readCount(usage.input_tokens);
  const completionTokens = readCount(usage.output_tokens);
  const cacheWriteTokens = optionalCount(usage.cache_creation_input_tokens);
  const cacheReadTokens = optionalCount(usage.cache_read_input_tokens);
  if (input === null || completionTokens === null || cacheWriteTokens === null || cacheReadTokens === null) return null;
  const promptTokens = readCount(input + cacheWriteTokens + cacheReadTokens);
  if (promptTokens === null) return null;
  return makeUsage({
    promptTokens,
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: asObject(usage.cache_creation).ephemeral_1h_input_tokens,
    webSearches: asObject(usage.server_tool_use).web_search_requests,
  });
}

/**
 * Adds what a `message_delta` says to what is known. Its figures count from the start of the message,
 * so they replace; what it leaves out or gives as null stands.
 */
export function mergeMessageUsage(known: JsonObject, delta: unknown): JsonObject {
  const given = Object.entries(asObject(delta)).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(given) };
}
