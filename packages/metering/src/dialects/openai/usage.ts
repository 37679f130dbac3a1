import { makeUsage, readCount, type Usage } from '@agp/pricing';
import { asArray, asObject, type JsonObject } from '../../json/members.ts';

const written = /^\d{1,12}(?:\.\d{1,12})?$/;

export function asFigure(value: unknown): unknown {
  return typeof value === 'string' && written.test(value) ? Number(value) : value;
}

/** Figures of one kind under the names that it goes by; the largest, since servers that give several mean the same. */
function largest(...values: unknown[]): number {
  return Math.max(...values.map((value) => readCount(asFigure(value)) ?? 0));
}

export function findUsage(body: JsonObject): unknown {
  if (body.usage) return body.usage;
  const ofGroq = asObject(body.x_groq).usage;
  return (
    ofGroq ??
    asArray(body.choices)
      .map((choice) => asObject(choice).usage)
      .find(Boolean)
  );
}

interface Totals {
  prompt: number;
  completion: number;
  /** Output that the server counts in its total alone. */
  uncounted: number;
}

/** Input and output; null if they are missing or no figures. Servers leave out a figure that follows from the others. */
function readTotals(usage: JsonObject): Totals | null {
  const given = {
    prompt: asFigure(usage.prompt_tokens ?? usage.input_tokens),
    completion: asFigure(usage.completion_tokens ?? usage.output_tokens),
    total: asFigure(usage.total_tokens),
  };
  if (readCount(given.total) === null) given.total = undefined;
  const known = Object.values(given).filter((value) => value !== undefined && value !== null);
  if (known.length < 2 && typeof given.prompt !== 'number') return null;
  if (known.some((value) => readCount(value) === null)) return null;
  const { prompt, completion, total } = given as Record<keyof typeof given, number | null | undefined>;
  const sum = total ?? (prompt ?? 0) + (completion ?? 0);
  return {
    prompt: prompt ?? Math.max(sum - (completion ?? 0), 0),
    completion: completion ?? Math.max(sum - (prompt ?? 0), 0),
    uncounted: prompt == null || completion == null ? 0 : Math.max(Math.trunc(sum - prompt - completion), 0),
  };
}

/**
 * Usage under both APIs' names, with what compatible servers add and leave out. Reasoning is a part of the output, or shows in
 * the total alone (xAI, Gemini's compatible path). Perplexity bills citations as input and reasoning beside the output, and
 * counts neither in its totals.
 */
export function readTokenUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const seconds = asFigure(usage.seconds ?? usage.prompt_audio_seconds);
  if (usage.type === 'duration') return readCount(seconds) === null ? null : makeUsage({ inputAudioSeconds: seconds });
  const totals = readTotals(usage);
  if (!totals) return null;
  const input = asObject(usage.prompt_tokens_details ?? usage.input_tokens_details ?? usage.input_token_details);
  const output = asObject(usage.completion_tokens_details ?? usage.output_tokens_details);
  const cached = asObject(usage.cached_tokens_details ?? input.cached_tokens_details);
  const searches = usage.num_search_queries ?? asObject(usage.server_tool_use).web_search_requests;
  const isPerplexity = usage.num_search_queries !== undefined || usage.citation_tokens !== undefined;
  const besides = Math.max(totals.uncounted, isPerplexity ? largest(usage.reasoning_tokens) : 0);
  return makeUsage({
    promptTokens: totals.prompt + largest(usage.citation_tokens),
    completionTokens: totals.completion + besides,
    cacheReadTokens: largest(input.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens),
    cacheWriteTokens: largest(input.cache_write_tokens, input.cache_creation_input_tokens),
    inputAudioTokens: largest(input.audio_tokens),
    inputImageTokens: largest(input.image_tokens),
    inputVideoTokens: largest(input.video_tokens),
    cacheReadAudioTokens: largest(cached.audio_tokens),
    cacheReadImageTokens: largest(cached.image_tokens, cached.cached_image_tokens),
    reasoningTokens: largest(output.reasoning_tokens, usage.reasoning_tokens, totals.uncounted),
    outputAudioTokens: largest(output.audio_tokens),
    outputImageTokens: largest(output.image_tokens),
    webSearches: largest(searches),
    inputAudioSeconds: seconds,
  });
}
