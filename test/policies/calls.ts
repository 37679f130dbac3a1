/** Calls of each operation, and where they name a model or a tool. */

export type Tools = 'openai' | 'responses' | 'anthropic' | 'gemini' | 'interactions';

/** An operation as agents ask for it. */
export interface Row {
  name: string;
  /** Below the proxy's address. */
  path: string;
  method?: 'GET' | 'PATCH';
  /** Where it names its model; `unread` if what it names is stored elsewhere, `none` if it runs none. */
  model: 'body' | 'path' | 'form' | 'unread' | 'none';
  tools?: Tools;
  /** The body that holds a call. */
  wrap?: (call: object) => object;
}

/** Stands for the model in paths. */
export const inPath = '{model}';

const alone = (call: object) => call;
const openai = (name: string, path: string, rest: Partial<Row> = {}): Row => ({
  name,
  path: `/openai${path}`,
  model: 'body',
  ...rest,
});
const gemini = (name: string, rest: Partial<Row> = {}): Row => ({
  name,
  path: `/gemini/v1beta/models/${inPath}:${name}`,
  model: 'path',
  tools: 'gemini',
  ...rest,
});
const inlined = (request: object) => ({ batch: { inputConfig: { requests: { requests: [{ request }] } } } });
const lookUp = { method: 'GET', model: 'none' } as const;
const vertex = '/gemini/v1/projects/p/locations/l';

export const rows: readonly Row[] = [
  openai('chat.completions', '/v1/chat/completions', { tools: 'openai' }),
  openai('chat.completions', `/deployments/${inPath}/chat/completions`, { model: 'path', tools: 'openai' }),
  openai('chat.completions.get', '/v1/chat/completions/chatcmpl-1', lookUp),
  openai('async.chat.completions', '/async/chat/completions', { tools: 'openai', wrap: (request) => ({ request }) }),
  openai('async.chat.completions.get', '/async/chat/completions/1', lookUp),
  openai('completions', '/v1/completions', { tools: 'openai' }),
  openai('fim.completions', '/v1/fim/completions'),
  openai('responses', '/v1/responses', { tools: 'responses' }),
  openai('responses.get', '/v1/responses/resp_1', lookUp),
  openai('responses.get', '/v1/responses/resp_1/cancel', { model: 'none' }),
  openai('responses.compact', '/v1/responses/compact', { tools: 'responses' }),
  openai('responses.input_tokens', '/v1/responses/input_tokens', { tools: 'responses' }),
  openai('embeddings', '/v1/embeddings'),
  openai('rerank', '/v1/rerank'),
  openai('cohere.chat', '/v2/chat', { tools: 'openai' }),
  openai('cohere.embed', '/v2/embed'),
  openai('ocr', '/v1/ocr'),
  openai('moderations', '/v1/moderations'),
  openai('videos', '/v1/videos'),
  openai('images.generations', '/v1/images/generations'),
  openai('images.edits', '/v1/images/edits', { model: 'form' }),
  openai('images.edits', '/v1/images/edits'),
  openai('images.variations', '/v1/images/variations', { model: 'form' }),
  openai('audio.transcriptions', '/v1/audio/transcriptions', { model: 'form' }),
  openai('audio.translations', '/v1/audio/translations', { model: 'form' }),
  openai('audio.speech', '/v1/audio/speech'),
  openai('batches', '/v1/batches', { model: 'unread' }),
  openai('batches.get', '/v1/batches/batch_1', lookUp),
  openai('batches.get', '/v1/batches/batch_1/cancel', { model: 'none' }),
  openai('batches.list', '/v1/batches', lookUp),
  openai('unknown', '/v1/fine_tuning/jobs', { model: 'unread' }),
  openai('unknown', '/v1/models', lookUp),
  { name: 'messages', path: '/anthropic/v1/messages', model: 'body', tools: 'anthropic' },
  {
    name: 'messages',
    path: `${vertex}/publishers/anthropic/models/${inPath}:rawPredict`,
    model: 'path',
    tools: 'anthropic',
  },
  { name: 'messages.count_tokens', path: '/anthropic/v1/messages/count_tokens', model: 'body', tools: 'anthropic' },
  {
    name: 'messages.batches',
    path: '/anthropic/v1/messages/batches',
    model: 'body',
    tools: 'anthropic',
    wrap: (params) => ({
      requests: [
        { custom_id: '0', params: { model: 'ok-0' } },
        { custom_id: '1', params },
      ],
    }),
  },
  { name: 'messages.batches.results', path: '/anthropic/v1/messages/batches/b/results', ...lookUp },
  gemini('generateContent'),
  gemini('generateContent', { path: `${vertex}/publishers/google/models/${inPath}:generateContent` }),
  gemini('streamGenerateContent'),
  gemini('embedContent'),
  gemini('batchEmbedContents', { wrap: (request) => ({ requests: [request] }) }),
  gemini('countTokens', { wrap: (generateContentRequest) => ({ generateContentRequest }) }),
  gemini('batchGenerateContent', { wrap: inlined }),
  gemini('asyncBatchEmbedContent', { wrap: inlined }),
  ...['computeTokens', 'fetchPredictOperation', 'predict', 'predictLongRunning'].map((name) =>
    gemini(name, { tools: undefined as never }),
  ),
  { name: 'interactions', path: '/gemini/v1beta/interactions', model: 'body', tools: 'interactions' },
  { name: 'interactions.get', path: '/gemini/v1beta/interactions/i', ...lookUp },
  { name: 'cachedContents.create', path: '/gemini/v1beta/cachedContents', model: 'body', tools: 'gemini' },
  { name: 'cachedContents.update', path: '/gemini/v1beta/cachedContents/c', model: 'none', method: 'PATCH' },
  { name: 'batchPredictionJobs', path: `${vertex}/batchPredictionJobs`, model: 'unread' },
  { name: 'batches.get', path: '/gemini/v1beta/batches/b', ...lookUp },
  { name: 'batches.list', path: '/gemini/v1beta/batches', ...lookUp },
];

export const wrap = ({ wrap: own = alone }: Row, call: object): object => own(call);

/** What is denied or allowed, of each kind. */
export interface Names {
  model: string;
  tool: string;
  hosted: string;
  host: string;
  id: string;
}

/** A member that names something, or null: whatever it names, it cannot be read. */
type Place = (names: Names) => object;

const functionOf = ({ tool }: Names) => ({ type: 'function', function: { name: tool } });
const listed = (type: string, names: Names) => ({ type, tools: [{ type: 'function', name: names.tool }] });

/** Further members of a call in which it may name something. */
export const places: Record<Tools, Record<string, Place>> = {
  openai: {
    function: (names) => ({ tools: [functionOf(names)] }),
    custom: ({ tool }) => ({ tools: [{ type: 'custom', custom: { name: tool } }] }),
    functions: ({ tool }) => ({ functions: [{ name: tool }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: hosted }] }),
    plugin: ({ hosted }) => ({ plugins: [{ id: hosted }] }),
    'model of a plugin': ({ model }) => ({ plugins: [{ id: 'ok_hosted', models: [model] }] }),
    mcp: ({ host }) => ({ tools: [{ type: 'mcp', server_url: `https://${host}:8443/mcp` }] }),
    models: ({ model }) => ({ models: ['ok-2', model] }),
  },
  responses: {
    function: ({ tool }) => ({ tools: [{ type: 'function', name: tool }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: hosted }] }),
    'model of a tool': ({ model }) => ({ tools: [{ type: 'ok_hosted', svg: { model } }] }),
    namespace: (names) => ({ tools: [{ ...listed('namespace', names), name: 'space' }] }),
    'additional tools': (names) => ({ input: [listed('additional_tools', names)] }),
    'tool search': (names) => ({ input: [listed('tool_search_output', names)] }),
    mcp: ({ host }) => ({ tools: [{ type: 'mcp', server_url: `https://ok.example@${host}/mcp` }] }),
    connector: ({ id }) => ({ tools: [{ type: 'mcp', connector_id: id }] }),
    tunnel: ({ id }) => ({ tools: [{ type: 'mcp', tunnel_id: id }] }),
  },
  anthropic: {
    custom: ({ tool }) => ({ tools: [{ name: tool, input_schema: {} }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: `${hosted}_20260801`, name: 'ok_hosted' }] }),
    adviser: ({ model }) => ({ tools: [{ type: 'ok_hosted', name: 'advisor', model }] }),
    fallbacks: ({ model }) => ({ fallbacks: [{ model }] }),
    mcp: ({ host }) => ({ mcp_servers: [{ name: 's', url: `https://${host}./sse` }] }),
    'tool in a message': ({ tool }) => ({
      messages: [
        {
          role: 'system',
          content: [{ type: 'tool_addition', tool: { type: 'tool_definition', definition: { name: tool } } }],
        },
      ],
    }),
  },
  gemini: {
    declaration: ({ tool }) => ({ tools: [{ functionDeclarations: [{ name: 'ok' }, { name: tool }] }] }),
    'declaration in snake_case': ({ tool }) => ({ tools: [{ function_declarations: [{ name: tool }] }] }),
    hosted: ({ hosted }) => ({ tools: [{ functionDeclarations: [], [hosted]: {} }] }),
    mcp: ({ host }) => ({ tools: [{ mcpServers: [{ streamableHttpTransport: { url: `https://${host}` } }] }] }),
    routing: ({ model }) => ({ generationConfig: { routingConfig: { manualMode: { modelName: model } } } }),
  },
  interactions: {
    function: ({ tool }) => ({ tools: [{ type: 'function', name: tool }] }),
    hosted: ({ hosted }) => ({ tools: [{ type: hosted }] }),
    mcp: ({ host }) => ({ tools: [{ type: 'mcp_server', url: `https://${host}/` }] }),
  },
};

/** Members by which a call takes what is stored at the provider, or left to it: no rule can be sure of it. */
export const stored: Record<Tools, readonly object[]> = {
  openai: [{ preset: 'p' }, { models: 'ok-1' }, { tools: {} }],
  responses: [
    { prompt: { id: 'pmpt_1' } },
    { previous_response_id: 'resp_1' },
    { conversation: 'conv_1' },
    { tools: [{ type: 'mcp', server_url: 'https://ok.example\\@bad.example/' }] },
  ],
  anthropic: [
    { fallbacks: 'default' },
    { thread: { type: 'continue', previous_message_id: 'msg_1' } },
    { tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }] },
  ],
  gemini: [{ cachedContent: 'cachedContents/c' }, { cached_content: 'cachedContents/c' }],
  interactions: [{ agent: 'ok-1' }, { cached_content: 'cachedContents/c' }],
};
