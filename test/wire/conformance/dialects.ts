import type { Row } from './cell.ts';
import { type Counts, type Dialect, toRows } from './compatible-servers.ts';

/** Figures as OpenAI writes them: what was thought is a part of the output. */
function writeUsage({ prompt, cached, said, thought }: Counts) {
  return {
    prompt_tokens: prompt,
    completion_tokens: said + thought,
    total_tokens: prompt + said + thought,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thought },
  };
}

/** The chunk that `include_usage` adds. */
const usageChunk = (usage: object, isAsked: boolean) => (isAsked ? { choices: [], usage } : null);

/** The usage of each stream stands beside its finish reason; asking for it adds nulls (api-docs.deepseek.com). */
const deepseek: Dialect = {
  name: 'DeepSeek',
  path: '/deepseek/chat/completions',
  model: 'deepseek-chat',
  price: { input: 280, output: 420 },
  thinksIn: 'reasoning_content',
  asksUsage: true,
  usage: (counts) => ({
    ...writeUsage(counts),
    prompt_cache_hit_tokens: counts.cached,
    prompt_cache_miss_tokens: counts.prompt - counts.cached,
  }),
  opening: ': keep-alive\n\n',
  frame: ({ isLast, isAsked }, usage) => (isLast ? { usage } : isAsked ? { usage: null } : {}),
  ending: () => null,
  error: { error: { message: 'Server overloaded', type: 'service_unavailable', param: null, code: 'busy' } },
};

/** What was thought is counted in the total alone. */
const xai: Dialect = {
  name: 'xAI',
  path: '/xai/v1/chat/completions',
  model: 'grok-3-mini',
  price: { input: 300, output: 500 },
  thinksIn: 'reasoning_content',
  asksUsage: true,
  usage: (counts) => ({ ...writeUsage(counts), completion_tokens: counts.said, num_sources_used: 0 }),
  ending: usageChunk,
  error: { code: 'The service is currently unavailable', error: 'Service temporarily unavailable.' },
};

/** Its own member has the usage in any case; asking adds a chunk (github.com/Portkey-AI/gateway/issues/1338). */
const groq: Dialect = {
  name: 'Groq',
  path: '/groq/openai/v1/chat/completions',
  model: 'openai/gpt-oss-120b',
  price: { input: 150, output: 600 },
  thinksIn: 'reasoning',
  asksUsage: true,
  usage: (counts) => ({ queue_time: 0.05, prompt_time: 0.006, ...writeUsage(counts), total_time: 0.9 }),
  frame: ({ index, isLast }, usage) => {
    if (isLast) return { x_groq: { id: 'req_1', usage } };
    return index === 0 ? { x_groq: { id: 'req_1' } } : {};
  },
  ending: (usage, isAsked) =>
    isAsked ? { choices: [], usage, x_groq: { id: 'req_1' }, service_tier: 'on_demand' } : null,
  error: { error: { message: 'Service unavailable', type: 'internal_server_error' } },
};

/** The last choice has the usage in any case (github.com/northes/go-moonshot/issues/17). */
const kimi: Dialect = {
  name: 'Kimi',
  path: '/moonshot/v1/chat/completions',
  model: 'kimi-k2-thinking',
  price: { input: 600, output: 2_500 },
  thinksIn: 'reasoning_content',
  asksUsage: true,
  usage: ({ prompt, cached, said, thought }) => ({
    prompt_tokens: prompt,
    completion_tokens: said + thought,
    total_tokens: prompt + said + thought,
    ...(cached > 0 && { cached_tokens: cached }),
  }),
  choice: ({ isLast }, usage) => (isLast ? { usage } : {}),
  ending: usageChunk,
  error: { error: { message: 'The engine is currently overloaded', type: 'engine_overloaded_error' } },
};

/** Asked for it, it counts along on every chunk (github.com/vllm-project/vllm/pull/6652). */
const vllm: Dialect = {
  name: 'vLLM',
  path: '/vllm/v1/chat/completions',
  model: 'Qwen/Qwen3-32B',
  price: { input: 200, output: 400 },
  thinksIn: 'reasoning_content',
  asksUsage: false,
  streamBody: { stream_options: { include_usage: true, continuous_usage_stats: true } },
  usage: ({ prompt, cached, said, thought }) => ({
    prompt_tokens: prompt,
    total_tokens: prompt + said + thought,
    completion_tokens: said + thought,
    prompt_tokens_details: cached > 0 ? { cached_tokens: cached } : null,
  }),
  frame: ({ index }) => ({
    usage: { prompt_tokens: 1_000, total_tokens: 1_001 + index, completion_tokens: 1 + index },
  }),
  ending: usageChunk,
  error: { object: 'error', message: 'Internal Server Error', type: 'InternalServerError', param: null, code: 500 },
  toldByFour: { prompt: 1_000, completion: 4 },
};

const harmless = { hate: { filtered: false, severity: 'safe' } };
const filtered = {
  choices: [],
  created: 0,
  id: '',
  model: '',
  object: '',
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: harmless }],
};

/** Begins with a chunk without choices that is none of usage (github.com/AbanteAI/archive-old-cli-mentat/issues/429). */
const azure: Dialect = {
  name: 'Azure OpenAI',
  path: '/azure/openai/deployments/prod/chat/completions?api-version=2024-10-21',
  model: 'gpt-4o',
  answers: 'gpt-4o-2024-11-20',
  price: { input: 2_500, output: 10_000 },
  asksUsage: true,
  usage: writeUsage,
  opening: `data: ${JSON.stringify(filtered)}\n\n`,
  frame: ({ isAsked }) => ({ system_fingerprint: 'fp_1', ...(isAsked && { usage: null }) }),
  choice: () => ({ content_filter_results: harmless, logprobs: null }),
  ending: usageChunk,
  error: { error: { message: 'The server had an error.', type: 'server_error', code: null } },
};

/** Refuses to be asked, and tells the usage of each stream beside its finish reason. */
const mistral: Dialect = {
  name: 'Mistral',
  path: '/mistral/v1/chat/completions',
  model: 'mistral-large-2411',
  price: { input: 2_000, output: 6_000 },
  asksUsage: false,
  usage: ({ prompt, said }) => ({ prompt_tokens: prompt, total_tokens: prompt + said, completion_tokens: said }),
  frame: ({ isLast }, usage) => (isLast ? { usage } : {}),
  ending: () => null,
  error: { object: 'error', message: 'Service unavailable.', type: 'internal_server_error', code: '3000' },
};

/** Tells the usage in a last chunk with an empty choice, asked or not, and begins with comments. */
const openrouter: Dialect = {
  name: 'OpenRouter',
  path: '/openrouter/api/v1/chat/completions',
  model: 'openai/gpt-5-mini',
  price: { input: 250, output: 2_000 },
  thinksIn: 'reasoning',
  asksUsage: true,
  usage: (counts) => ({ ...writeUsage(counts), cost: 0.00014, is_byok: false, cost_details: {} }),
  opening: ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n',
  frame: () => ({ provider: 'OpenAI' }),
  ending: (usage) => ({
    choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    usage,
  }),
  error: { error: { code: 502, message: 'Provider returned error' }, choices: [{ delta: {}, finish_reason: 'error' }] },
};

/** Costs at the list prices of each, in nano-dollars: 1,000 in (800 of them cached), 6 out (and 256 thought), or 20. */
export const compatibleRows: Row[] = [
  ...toRows(deepseek, {
    complete: 1_000 * 280 + 6 * 420,
    cached: 200 * 280 + 800 * 28 + 6 * 420,
    reasoning: 1_000 * 280 + 262 * 420,
    tools: 1_000 * 280 + 20 * 420,
  }),
  ...toRows(xai, {
    complete: 1_000 * 300 + 6 * 500,
    cached: 200 * 300 + 800 * 75 + 6 * 500,
    reasoning: 1_000 * 300 + 262 * 500,
    tools: 1_000 * 300 + 20 * 500,
  }),
  ...toRows(groq, {
    complete: 1_000 * 150 + 6 * 600,
    cached: 200 * 150 + 800 * 75 + 6 * 600,
    reasoning: 1_000 * 150 + 262 * 600,
    tools: 1_000 * 150 + 20 * 600,
  }),
  ...toRows(kimi, {
    complete: 1_000 * 600 + 6 * 2_500,
    cached: 200 * 600 + 800 * 150 + 6 * 2_500,
    reasoning: 1_000 * 600 + 262 * 2_500,
    tools: 1_000 * 600 + 20 * 2_500,
  }),
  ...toRows(vllm, {
    complete: 1_000 * 200 + 6 * 400,
    cached: 200 * 200 + 800 * 20 + 6 * 400,
    reasoning: 1_000 * 200 + 262 * 400,
    tools: 1_000 * 200 + 20 * 400,
  }),
  ...toRows(azure, {
    complete: 1_000 * 2_500 + 6 * 10_000,
    cached: 200 * 2_500 + 800 * 1_250 + 6 * 10_000,
    tools: 1_000 * 2_500 + 20 * 10_000,
  }),
  ...toRows(mistral, { complete: 1_000 * 2_000 + 6 * 6_000, tools: 1_000 * 2_000 + 20 * 6_000 }),
  // What it says it charged.
  ...toRows(openrouter, { complete: 140_000, cached: 140_000, reasoning: 140_000, tools: 140_000 }),
];

/** Servers that only a file of providers knows. */
export const compatibleProviders = [
  ...['deepseek', 'xai', 'groq', 'moonshot', 'vllm', 'azure', 'openrouter'].map((id) => ({ id })),
  { id: 'mistral', ask_usage: false },
];

/** Prices that the operator sets: those of a server of its own, and DeepSeek's latest. */
export const operatorPrices = [
  { provider: 'vllm', model: '*', prices: { input_mtok: 0.2, cache_read_mtok: 0.02, output_mtok: 0.4 } },
  {
    provider: 'deepseek',
    model: 'deepseek-chat',
    prices: { input_mtok: 0.28, cache_read_mtok: 0.028, output_mtok: 0.42 },
  },
];
