import { makeUsage, readCount, type Usage } from '@agp/pricing';
import { asObject, type JsonObject } from '../../json/members.ts';
import { listFigures, noteFigures } from '../figures.ts';
import type { Figures } from './describe-operation.ts';

const written = /^\d{1,12}(?:\.\d{1,12})?$/;

export function asFigure(value: unknown): unknown {
  return typeof value === 'string' && written.test(value) ? Number(value) : value;
}

/** Figures of one kind under the names that it goes by; the largest, since servers that give several mean the same. */
function largest(...values: unknown[]): number {
  let most = 0;
  for (const value of values) if (value !== undefined) most = Math.max(most, readCount(asFigure(value)) ?? 0);
  return most;
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

const cachedDetails = listFigures('audio_tokens image_tokens cached_image_tokens text_tokens');

const lifetimes = listFigures('ephemeral_5m_input_tokens ephemeral_1h_input_tokens');

const inputDetails = listFigures(
  `cached_tokens cache_write_tokens cache_creation_input_tokens cache_creation_tokens audio_tokens image_tokens video_tokens
  text_tokens`,
  {
    cached_tokens_details: cachedDetails,
    cache_creation: lifetimes,
    cache_creation_token_details: lifetimes,
  },
);

/** Predictions are output, accepted or not. */
const outputDetails = listFigures(
  'reasoning_tokens audio_tokens image_tokens video_tokens text_tokens accepted_prediction_tokens rejected_prediction_tokens',
);

/** Times and speeds bill nothing, nor do sums and costs of what is counted beside them. */
export const usageFigures = listFigures(
  `prompt_tokens completion_tokens total_tokens input_tokens output_tokens cached_tokens reasoning_tokens citation_tokens
  cache_read_input_tokens cache_creation_input_tokens prompt_cache_hit_tokens prompt_cache_miss_tokens dram_cached_tokens sram_cached_tokens connector_tokens num_search_queries num_sources_used
  num_server_side_tools_used seconds prompt_audio_seconds pages_processed doc_size_bytes
  cost_in_usd_ticks estimated_cost
  queue_time prompt_time completion_time total_time time_to_first_token total_latency start_time end_time acceptance_rate
  tokens_per_second total_tokens_per_sec completion_tokens_per_sec completion_tokens_after_first_per_sec
  completion_tokens_after_first_per_sec_first_ten`,
  {
    'cost cost_details context_details': 'all',
    'prompt_tokens_details input_tokens_details input_token_details': inputDetails,
    cache_creation: lifetimes,
    cached_tokens_details: cachedDetails,
    'completion_tokens_details output_tokens_details': outputDetails,
    server_tool_use: listFigures('web_search_requests web_fetch_requests'),
    server_side_tool_usage_details: listFigures(
      `web_search_calls x_search_calls code_interpreter_calls file_search_calls collections_search_calls
      document_search_calls attachment_search_calls image_generation_calls x_posts_fetched x_users_fetched mcp_calls`,
    ),
    tool_calls_details: listFigures('', { 'search_web web_search': listFigures('invocation') }),
    connectors: listFigures('web_search code_interpreter image_generation document_library'),
  },
);

/** What the provider ran beside the model, as xAI, Mistral, Perplexity and OpenRouter count it. */
function readTools(usage: JsonObject): Partial<Record<keyof Usage, number>> {
  const { server_side_tool_usage_details: ofXai, connectors: ofMistral, server_tool_use: used } = usage;
  const { tool_calls_details: ofPerplexity, num_search_queries: queries, num_sources_used: sources } = usage;
  if (!ofXai && !ofMistral && !used && !ofPerplexity && !queries && !sources) return {};
  const [calls, connectors] = [asObject(ofXai), asObject(ofMistral)];
  const { search_web: searched, web_search: search } = asObject(ofPerplexity);
  return {
    webSearches: largest(
      queries,
      asObject(used).web_search_requests,
      calls.web_search_calls,
      connectors.web_search,
      asObject(searched ?? search).invocation,
    ),
    socialSearches: largest(calls.x_search_calls),
    socialPosts: largest(calls.x_posts_fetched),
    socialUsers: largest(calls.x_users_fetched),
    fileSearches: largest(calls.file_search_calls, calls.collections_search_calls, connectors.document_library),
    attachmentSearches: largest(calls.document_search_calls, calls.attachment_search_calls),
    codeExecutions: largest(calls.code_interpreter_calls, connectors.code_interpreter),
    outputImages: largest(calls.image_generation_calls, connectors.image_generation),
    searchSources: largest(sources),
  };
}

/**
 * Usage under both APIs' names, with what compatible servers add and leave out. Reasoning is a part of the output, or shows in
 * the total alone (xAI, Gemini's compatible path). Perplexity bills citations as input and reasoning beside the output, and
 * counts neither in its totals; Mistral counts what its connectors found in the total alone. Gateways before Claude name
 * caches as it does, and may count them beside the input, as it does too.
 */
export function readTokenUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  const seconds = asFigure(usage.seconds ?? usage.prompt_audio_seconds);
  if (usage.type === 'duration') return readCount(seconds) === null ? null : makeUsage({ inputAudioSeconds: seconds });
  const totals = readTotals(usage);
  if (!totals) return null;
  const input = asObject(usage.prompt_tokens_details ?? usage.input_tokens_details ?? usage.input_token_details);
  const output = asObject(usage.completion_tokens_details ?? usage.output_tokens_details);
  const ofCached = asObject(usage.cached_tokens_details ?? input.cached_tokens_details);
  const isPerplexity = usage.num_search_queries !== undefined || usage.citation_tokens !== undefined;
  const connected = largest(usage.connector_tokens);
  const cacheReadTokens = largest(
    input.cached_tokens,
    usage.prompt_cache_hit_tokens,
    usage.cached_tokens,
    usage.cache_read_input_tokens,
  );
  const { cache_creation: ofInput, cache_creation_token_details: byLifetime } = input;
  const cacheWriteTokens = largest(
    input.cache_write_tokens,
    input.cache_creation_input_tokens,
    input.cache_creation_tokens,
    usage.cache_creation_input_tokens,
  );
  const cached = cacheReadTokens + cacheWriteTokens;
  const beside = cached === totals.uncounted ? cached : 0;
  const uncounted = Math.max(0, totals.uncounted - connected - beside);
  const besides = Math.max(uncounted, isPerplexity ? largest(usage.reasoning_tokens) : 0);
  return makeUsage({
    promptTokens: totals.prompt + largest(usage.citation_tokens) + connected + beside,
    completionTokens: totals.completion + besides,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: asObject(ofInput ?? byLifetime ?? usage.cache_creation).ephemeral_1h_input_tokens,
    inputAudioTokens: largest(input.audio_tokens),
    inputImageTokens: largest(input.image_tokens),
    inputVideoTokens: largest(input.video_tokens),
    cacheReadAudioTokens: largest(ofCached.audio_tokens),
    cacheReadImageTokens: largest(ofCached.image_tokens, ofCached.cached_image_tokens),
    reasoningTokens: largest(output.reasoning_tokens, usage.reasoning_tokens, uncounted),
    outputAudioTokens: largest(output.audio_tokens),
    outputImageTokens: largest(output.image_tokens),
    outputVideoTokens: largest(output.video_tokens),
    ...readTools(usage),
    inputAudioSeconds: seconds,
  });
}

export function readUsageFigures(value: unknown): Figures {
  return { usage: readTokenUsage(value), ...noteFigures(value, usageFigures) };
}
