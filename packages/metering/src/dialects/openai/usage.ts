import { makeUsage, readCount, type Usage } from '@agp/catalogue';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { type Counts, readFigures, tableFigures } from '../figures.ts';
import { type ReportedCall, sumCalls } from '../operation.ts';
import type { Figures } from './describe-operation.ts';

const cachedDetails = tableFigures({
  cacheReadAudioTokens: 'audio_tokens',
  cacheReadImageTokens: 'image_tokens cached_image_tokens',
  nothing: 'text_tokens',
});

const lifetimes = tableFigures({
  cacheWrite1hTokens: 'ephemeral_1h_input_tokens',
  nothing: 'ephemeral_5m_input_tokens',
});

const kept = tableFigures({ cacheWrite12hTokens: 'ttl_12h_tokens', nothing: 'ttl_30m_tokens' });

const inputDetails = tableFigures(
  {
    cacheReadTokens: 'cached_tokens',
    cacheWriteTokens: 'cache_write_tokens cache_creation_input_tokens cache_creation_tokens',
    inputAudioTokens: 'audio_tokens',
    inputImageTokens: 'image_tokens',
    inputVideoTokens: 'video_tokens',
    nothing: 'text_tokens',
  },
  {
    cached_tokens_details: cachedDetails,
    cache_write_tokens_details: kept,
    'cache_creation cache_creation_token_details': lifetimes,
  },
);

/** Predictions are output, accepted or not. */
const outputDetails = tableFigures({
  reasoningTokens: 'reasoning_tokens',
  outputAudioTokens: 'audio_tokens',
  outputImageTokens: 'image_tokens',
  outputVideoTokens: 'video_tokens',
  nothing: 'text_tokens accepted_prediction_tokens rejected_prediction_tokens',
});

/** What xAI ran beside the model, all of it. */
const serverSide = tableFigures({
  webSearches: 'web_search_calls',
  socialSearches: 'x_search_calls',
  socialPosts: 'x_posts_fetched',
  socialUsers: 'x_users_fetched',
  fileSearches: 'file_search_calls collections_search_calls',
  attachmentSearches: 'document_search_calls attachment_search_calls',
  codeExecutions: 'code_interpreter_calls',
  outputImages: 'image_generation_calls',
  nothing: 'mcp_calls',
});

/** Mistral's. */
const connectors = tableFigures({
  webSearches: 'web_search',
  fileSearches: 'document_library',
  codeExecutions: 'code_interpreter',
  outputImages: 'image_generation',
});

/** Usage under both APIs' names, with what compatible servers add: times and speeds bill nothing, nor do sums of what is counted beside. */
export const usageTable = tableFigures(
  {
    prompt: 'prompt_tokens',
    input: 'input_tokens',
    completion: 'completion_tokens',
    output: 'output_tokens',
    total: 'total_tokens',
    cacheReadTokens: 'cached_tokens cache_read_input_tokens prompt_cache_hit_tokens',
    cacheWriteTokens: 'cache_creation_input_tokens',
    reasoningBeside: 'reasoning_tokens',
    citations: 'citation_tokens',
    connected: 'connector_tokens',
    webSearches: 'num_search_queries',
    searchSources: 'num_sources_used',
    seconds: 'seconds prompt_audio_seconds',
    inputPages: 'pages_processed',
    nothing: `prompt_cache_miss_tokens dram_cached_tokens sram_cached_tokens num_server_side_tools_used doc_size_bytes
      cost_in_usd_ticks estimated_cost
      queue_time prompt_time completion_time total_time time_to_first_token total_latency start_time end_time acceptance_rate
      tokens_per_second total_tokens_per_sec completion_tokens_per_sec completion_tokens_after_first_per_sec
      completion_tokens_after_first_per_sec_first_ten`,
  },
  {
    'cost cost_details context_details': 'passed',
    'prompt_tokens_details input_tokens_details input_token_details': inputDetails,
    cache_creation: lifetimes,
    cached_tokens_details: cachedDetails,
    'completion_tokens_details output_tokens_details': outputDetails,
    server_tool_use: tableFigures({ webSearches: 'web_search_requests', nothing: 'web_fetch_requests' }),
    server_side_tool_usage_details: serverSide,
    tool_calls_details: tableFigures({}, { 'search_web web_search': tableFigures({ webSearches: 'invocation' }) }),
    connectors,
  },
  true,
);

interface Totals {
  prompt: number;
  completion: number;
  /** Output that the server counts in its total alone. */
  uncounted: number;
}

/** Input and output; null if they are missing or no figures. Servers leave out a figure that follows from the others. */
function readTotals({ prompt: told, input, completion: written, output, total }: Counts): Totals | null {
  const [prompt, completion] = [told ?? input, written ?? output];
  const known = [prompt, completion, total || undefined].filter((count) => count !== undefined);
  const hasTotal = total !== undefined && !Number.isNaN(total);
  const given = [prompt, completion].filter((count) => count !== undefined).length + Number(hasTotal);
  if (known.some(Number.isNaN) || (given < 2 && prompt === undefined)) return null;
  const sum = hasTotal ? total : (prompt ?? 0) + (completion ?? 0);
  const isWhole = prompt !== undefined && completion !== undefined;
  return {
    prompt: prompt ?? Math.max(sum - (completion ?? 0), 0),
    completion: completion ?? Math.max(sum - (prompt ?? 0), 0),
    uncounted: isWhole ? Math.max(Math.trunc(sum - prompt - completion), 0) : 0,
  };
}

/**
 * Reasoning is a part of the output, or shows in the total alone (xAI, Gemini's compatible path). Perplexity bills citations as input and
 * reasoning beside the output, and counts neither in its totals; Mistral counts what its connectors found in the total alone. Gateways
 * before Claude name caches as it does, and may count them beside the input, as it does too.
 */
function toUsage(usage: JsonObject, counts: Counts): Usage | null {
  const { seconds, citations = 0, connected = 0, reasoningBeside = 0 } = counts;
  if (usage.type === 'duration')
    return seconds === undefined || Number.isNaN(seconds) ? null : makeUsage({ inputAudioSeconds: seconds });
  const totals = readTotals(counts);
  if (!totals) return null;
  const isPerplexity = usage.num_search_queries !== undefined || usage.citation_tokens !== undefined;
  const cached = (counts.cacheReadTokens || 0) + (counts.cacheWriteTokens || 0);
  const beside = cached === totals.uncounted ? cached : 0;
  const uncounted = Math.max(0, totals.uncounted - (connected || 0) - beside);
  return makeUsage({
    ...counts,
    promptTokens: totals.prompt + (citations || 0) + (connected || 0) + beside,
    completionTokens: totals.completion + Math.max(uncounted, isPerplexity ? reasoningBeside || 0 : 0),
    reasoningTokens: Math.max(counts.reasoningTokens || 0, reasoningBeside || 0, uncounted),
    inputPages: 0,
    inputAudioSeconds: seconds,
  });
}

export function readUsageFigures(value: unknown): Figures {
  const { counts, notes } = readFigures(value, usageTable);
  return { usage: toUsage(asObject(value), counts), ...notes };
}

export const readTokenUsage = (value: unknown): Usage | null => readUsageFigures(value).usage;

function findUsage(body: JsonObject): unknown {
  if (body.usage) return body.usage;
  const ofGroq = asObject(body.x_groq).usage;
  return (
    ofGroq ??
    asArray(body.choices)
      .map((choice) => asObject(choice).usage)
      .find(Boolean)
  );
}

/** They search once for every call, which OpenAI bills, by the price of the tool that they search with. */
const searchModel = /^gpt-[\w.-]+-search-(preview|api)/;

/** What Groq's systems ran: only these are billed by the call or hour. */
const billedTools: ReadonlyMap<unknown, 'webSearches' | 'codeExecutions'> = new Map([
  ...(['search', 'web_search', 'browser_search'] as const).map((type) => [type, 'webSearches'] as const),
  ...(['python', 'code_interpreter'] as const).map((type) => [type, 'codeExecutions'] as const),
]);

const maxTools = 1_000;

/** What tools are billed as, by their place: a stream tells them more than once. */
export type ExecutedTools = Map<number, 'webSearches' | 'codeExecutions'>;

function findExecutedTools({ choices }: JsonObject, found: ExecutedTools): void {
  for (const choice of asArray(choices)) {
    const { message, delta } = asObject(choice);
    for (const tool of asArray(asObject(message ?? delta).executed_tools)) {
      const { index, type } = asObject(tool);
      const billed = billedTools.get(type);
      if (billed && found.size < maxTools) found.set(readCount(index) ?? found.size, billed);
    }
  }
}

/** Systems of several models, as Groq's, bill each. */
function readParts({ usage_breakdown: breakdown, x_groq: ofGroq }: JsonObject): ReportedCall[] {
  const { models } = asObject(breakdown ?? asObject(ofGroq).usage_breakdown);
  return asArray(models)
    .slice(0, maxTools)
    .flatMap((part) => {
      const usage = readTokenUsage(asObject(part).usage);
      return usage ? [{ model: asText(asObject(part).model), usage }] : [];
    });
}

/** @param model that answered @param executed tools that earlier frames told */
export function readCompletionFigures(
  answer: JsonObject,
  model: unknown,
  executed: ExecutedTools = new Map(),
): Figures {
  const { usage, ...notes } = readUsageFigures(findUsage(answer));
  findExecutedTools(answer, executed);
  if (usage === null) return { usage, ...notes };
  const [first = { model: null, usage }, ...others] = readParts(answer);
  const [, kind] = searchModel.exec(asText(model) ?? '') ?? [];
  const tools = { webSearches: kind === 'api' ? 1 : 0, previewSearches: kind === 'preview' ? 1 : 0, codeExecutions: 0 };
  for (const name of executed.values()) tools[name] += 1;
  const ran = kind !== undefined || executed.size > 0;
  const call = ran ? { ...first, usage: makeUsage({ ...first.usage, ...tools }) } : first;
  return {
    ...(first.usage === usage ? { usage: call.usage } : { ...sumCalls([call, ...others]), calls: [call, ...others] }),
    ...notes,
  };
}
