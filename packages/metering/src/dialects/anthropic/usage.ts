import { makeUsage, readCount, type Usage } from '@agp/pricing';
import { asArray, asName, asObject, asText, type JsonObject, optionalCount } from '../../json/members.ts';
import { type AnswerReading, type ReportedCall, sumCalls } from '../operation.ts';

/**
 * `input_tokens` touched no cache, and cache writes by lifetime a part of `cache_creation_input_tokens`. A
 * server that says that a call had no input has not counted.
 */
function readMessageUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const input = readCount(usage.input_tokens);
  const completionTokens = readCount(usage.output_tokens);
  const cacheWriteTokens = optionalCount(usage.cache_creation_input_tokens);
  const cacheReadTokens = optionalCount(usage.cache_read_input_tokens);
  if (input === null || completionTokens === null || cacheWriteTokens === null || cacheReadTokens === null) return null;
  const promptTokens = readCount(input + cacheWriteTokens + cacheReadTokens);
  if (promptTokens === null || promptTokens === 0) return null;
  return makeUsage({
    promptTokens,
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: asObject(usage.cache_creation).ephemeral_1h_input_tokens,
    reasoningTokens: asObject(usage.output_tokens_details).thinking_tokens,
    webSearches: asObject(usage.server_tool_use).web_search_requests,
  });
}

/** Runs of a model within a message that its own figures leave out: summaries of the context, and advice by another model. */
const extraRuns = new Set(['compaction', 'advisor_message']);

export function readMessageFigures(value: unknown): Omit<AnswerReading, 'outputText'> {
  const message = asObject(value);
  const told = asObject(message.usage);
  const model = asText(message.model);
  const usage = readMessageUsage(told);
  const serviceTier = told.speed === 'fast' ? 'fast' : asText(told.service_tier);
  const extra = asArray(told.iterations).flatMap((item): ReportedCall[] => {
    const run = asObject(item);
    const used = extraRuns.has(asName(run.type)) ? readMessageUsage(run) : null;
    return used === null ? [] : [{ model: asText(run.model) ?? model, usage: used }];
  });
  return { model, serviceTier, ...(usage ? sumCalls([{ model, usage }, ...extra]) : { usage }) };
}

function countCached(usage: JsonObject): number {
  return (readCount(usage.cache_read_input_tokens) ?? 0) + (readCount(usage.cache_creation_input_tokens) ?? 0);
}

/** The figures that are read. Others are dropped: a stream could add new names in every frame. */
const figures = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'cache_creation',
  'output_tokens_details',
  'server_tool_use',
  'iterations',
  'speed',
  'service_tier',
] as const;

/**
 * Figures count from the message's start, so they replace known ones. Qwen counts all input at the start and says at the end
 * how much was cached, sometimes without counting the rest anew: then the two overlap.
 */
export function mergeMessageUsage(known: JsonObject, delta: unknown): JsonObject {
  const given: JsonObject = Object.fromEntries(
    figures.map((name) => [name, asObject(delta)[name]]).filter(([, value]) => value !== null && value !== undefined),
  );
  const merged = { ...known, ...given };
  const input = readCount(known.input_tokens);
  const newlyCached = countCached(merged) - countCached(known);
  if (input === null || 'input_tokens' in given || newlyCached <= 0) return merged;
  return { ...merged, input_tokens: Math.max(0, input - newlyCached) };
}
