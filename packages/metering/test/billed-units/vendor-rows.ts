import { sse } from '../measure-call.ts';
import { chat, chatTokens, type Row, tokens } from './row.ts';

const opus = 0.005 + 0.0025;
const message = (usage: object, more: object = {}) => ({
  body: {
    model: 'claude-opus-5',
    content: [{}],
    usage: { input_tokens: 1_000, output_tokens: 100, ...usage },
    ...more,
  },
});
const container = { id: 'container_1', expires_at: '2026-11-02T00:00:00Z' };
const { usage: start } = message({}).body;

const anthropic: Row[] = [
  [
    'web searches',
    'messages',
    message({ server_tool_use: { web_search_requests: 2, web_fetch_requests: 5 } }),
    opus + 0.02,
  ],
  [
    'code runs',
    'messages',
    message({ server_tool_use: { code_execution_requests: 1 } }),
    opus,
    'code_executions_kcount',
  ],
  ['code runs', 'messages', message({}, { container }), opus, 'code_executions_kcount'],
  [
    'code runs',
    'messages',
    sse(
      { type: 'message_start', message: { model: 'claude-opus-5', usage: start } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', container }, usage: { output_tokens: 100 } },
    ),
    opus,
    'code_executions_kcount',
  ],
];

const flash3 = 0.0005 + 0.0003;
const flash2 = 0.0003 + 0.000_25;
const grounded = (modelVersion: string, ...metadata: object[]) => ({
  modelVersion,
  candidates: metadata.map((groundingMetadata) => ({ finishReason: 'STOP', groundingMetadata })),
  usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 },
});
const [three, two] = ['gemini-3-flash-preview', 'gemini-2.5-flash'];
const queries = { webSearchQueries: ['a', 'b', 'a', ' '] };
const places = { groundingChunks: [{ maps: { placeId: 'p' } }] };
const interaction = (type: string, count: number, model = three) => {
  const usage = { total_input_tokens: 1_000, total_output_tokens: 100, grounding_tool_count: [{ type, count }] };
  return { body: { model, usage } };
};

const gemini: Row[] = [
  ['searches', 'content', { body: grounded(three, queries) }, flash3 + 0.028],
  ['searches', 'content', { body: grounded(three, { ...queries, imageSearchQueries: ['a'] }) }, flash3 + 0.042],
  [
    'searches',
    'stream',
    sse(grounded(three, queries), grounded(three, { webSearchQueries: ['b', 'c'] })),
    flash3 + 0.042,
  ],
  ['searches', 'interactions', interaction('google_search', 3), flash3 + 0.042],
  ['grounded prompts', 'content', { body: grounded(two, queries, queries) }, flash2 + 0.035],
  ['grounded prompts', 'interactions', interaction('google_search', 3, two), flash2 + 0.035],
  ['maps', 'content', { body: grounded(two, places) }, flash2 + 0.025],
  ['maps', 'stream', sse(grounded(three, places)), flash3 + 0.014],
  ['maps', 'interactions', interaction('google_maps', 2), flash3 + 0.028],
  ['stores', 'content', { body: grounded(three, { retrievalQueries: ['a'] }) }, flash3, 'storage_searches_kcount'],
];

const grok = 0.003 + 0.0015;
const ticks = { cost_in_usd_ticks: 37_756_000 };
const ran = (used: object, more: object = {}) => ({
  body: { model: 'grok-4', output: [], usage: { ...tokens, server_side_tool_usage_details: used, ...more } },
});
const words = { model: 'grok-4', choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] };
const kinds = { web_search_calls: 1, x_search_calls: 2, code_interpreter_calls: 3, file_search_calls: 4 };

const xai: Row[] = [
  ['charge', 'responses', ran({ web_search_calls: 3 }, ticks), 0.003_775_6],
  ['charge', 'chat', sse(words, { model: 'grok-4', choices: [], usage: { ...chatTokens, ...ticks } }), 0.003_775_6],
  ['charge', 'images', { body: { data: [{ url: 'u' }], usage: { cost_in_usd_ticks: 200_000_000 } } }, 0.02],
  ['searches and runs', 'responses', ran({ ...kinds, mcp_calls: 6 }), grok + 0.005 + 0.01 + 0.015 + 0.01],
  ['searches and runs', 'responses', ran({ document_search_calls: 5 }), grok + 0.05],
  [
    'posts and users',
    'responses',
    ran({ x_posts_fetched: 3, x_users_fetched: 1 }),
    grok,
    'social_posts_kcount+social_users_kcount',
  ],
  ['sources', 'chat', chat({ model: 'grok-4' }, { num_sources_used: 4 }), grok + 0.1],
];

const ownKey = { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } };

const advised = { type: 'advisor_message', model: 'claude-haiku-4-5', input_tokens: 10, output_tokens: 10 };
const own = { type: 'message', input_tokens: 1_000, output_tokens: 100 };

const openrouter: Row[] = [
  ['charge', 'messages', message({ cost: 0.5, iterations: [own, advised] }), 0.5],
  ['charge', 'messages', message({ cost: 0.5, iterations: [own] }), 0.5],
  ['charge', 'chat', chat({ model: 'openai/gpt-5' }, { cost: 0.95 }), 0.95],
  ['charge', 'chat', chat({ model: 'openai/gpt-5' }, ownKey), 0.021],
  ['charge', 'chat', chat({ model: 'openai/gpt-5' }, { cost: 0 }), 0],
];

const costs = { input_tokens_cost: 0.001, output_tokens_cost: 0.0001, request_cost: 0.005, total_cost: 0.0061 };
const deep = { num_search_queries: 3, citation_tokens: 500, reasoning_tokens: 1_000 };

const perplexity: Row[] = [
  ['charge', 'chat', chat({ model: 'sonar' }, { search_context_size: 'low', cost: costs }), 0.0061],
  ['fees', 'chat', chat({ model: 'sonar' }, { num_search_queries: 1 }), 0.001 + 0.0001 + 0.012],
  ['searches', 'chat', chat({ model: 'sonar-deep-research' }, deep), 0.003 + 0.0008 + 0.003 + 0.015],
];

const browsed = { content: 'Hi', executed_tools: [{ index: 0, type: 'browser_search' }] };
const oss = { model: 'openai/gpt-oss-120b', usage: chatTokens };

const groq: Row[] = [
  ['searches', 'chat', chat({ model: oss.model, choices: [{ message: browsed }] }), 0.000_15 + 0.000_06 + 0.005],
  [
    'models of a system',
    'chat',
    chat({ model: 'groq/compound', usage_breakdown: { models: [oss, oss] } }),
    2 * 0.000_21,
  ],
];

const voxtral = { model: 'voxtral-mini-2602', text: 'Hi', usage: { ...chatTokens, prompt_audio_seconds: 60 } };
const connected = { total_tokens: 3_100, connector_tokens: 2_000, connectors: { web_search: 1, code_interpreter: 1 } };
const read = (more: object) => ({
  body: { model: 'mistral-ocr-latest', pages: [{ markdown: 'Hi' }], usage_info: { pages_processed: 3 }, ...more },
});

const mistral: Row[] = [
  ['seconds', 'transcriptions', { body: voxtral }, 0.003],
  [
    'seconds',
    'chat',
    chat({ model: 'voxtral-small-latest' }, { prompt_audio_seconds: 60 }),
    0.000_14,
    'input_audio_hours',
  ],
  ['connectors', 'chat', chat({ model: 'mistral-medium-latest' }, connected), 0.0045 + 0.000_75 + 0.06],
  ['pages', 'ocr', read({}), 0.012],
  ['pages', 'ocr', read({ document_annotation: '{}' }), 0.015],
];

const cohere: Row[] = [
  ['searches', 'rerank', { body: { results: [], meta: { billed_units: { search_units: 2 } } } }, 0.004],
];

export const ofVendors: Readonly<Record<string, Row[]>> = {
  ...{ anthropic, gemini, xai, openrouter, perplexity, groq, mistral, cohere },
};
