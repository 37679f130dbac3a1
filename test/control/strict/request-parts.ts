import fc from 'fast-check';

/** A member's name as it stands between quotes, and its value as JSON. */
export type Member = [name: string, value: string];

/** A kind of request: of its needs one each, at most one of its bounds, and some of what it may have. */
export interface Operation {
  name: string;
  weight: number;
  paths: string[];
  needs: fc.Arbitrary<Member>[];
  bounds: string[];
  may: Member[];
  /** The object that holds settings, if they do not stand beside all else. */
  settings?: string;
}

const pick = <Value>(...values: Value[]) => fc.constantFrom(...values);
const member = (name: string, value: unknown): Member => [name, JSON.stringify(value)];

const model = (...names: string[]) =>
  fc.oneof(
    { weight: 20, arbitrary: pick(...names) },
    { weight: 1, arbitrary: pick('unheard-of', 'gpt-4o-search-preview', 'gpt-4o-mini:online') },
  );
const modelMember = (...names: string[]) => model(...names).map((name) => member('model', name));

const words = fc.oneof(
  { weight: 10, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constant('\ufdfa'.repeat(50)) },
  { weight: 1, arbitrary: fc.constant('x'.repeat(5_000)) },
);
const textMember = (name: string) => words.map((text) => member(name, text));

const picture = { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } };
const messages = fc.oneof(
  { weight: 8, arbitrary: words.map((content) => [{ role: 'user', content }]) },
  { weight: 2, arbitrary: words.map((text) => [{ role: 'user', content: [{ type: 'text', text }] }]) },
  {
    weight: 1,
    arbitrary: pick(
      [{ role: 'user', content: [picture] }],
      [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x.example' } }] }],
      [{ role: 'user', content: [{ type: 'text', text: 'x', image_url: 'https://x.example' }] }],
      [{ role: 'user', content: [{ type: 'document', source: { file_id: 'file-1' } }] }],
    ),
  },
);
const contents = fc.oneof(
  { weight: 8, arbitrary: words.map((text) => [{ role: 'user', parts: [{ text }] }]) },
  {
    weight: 1,
    arbitrary: fc.constant([{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }]),
  },
);
const inputs = fc.oneof(
  { weight: 8, arbitrary: words as fc.Arbitrary<unknown> },
  {
    weight: 1,
    arbitrary: pick<unknown>([{ type: 'item_reference', id: 'm' }], [{ type: 'reasoning', id: 'r', summary: [] }]),
  },
);

const sampling = [member('temperature', 0.5), member('top_p', 0.9), member('user', 'u'), member('stream', false)];
const thinking = [
  member('thinking', { type: 'enabled', budget_tokens: 2_000 }),
  member('reasoning', { effort: 'low' }),
];
const ownTool = { type: 'function', name: 'look', parameters: { type: 'object' } };

/** Names of whatever bounds or multiplies output somewhere. */
export const amountNames = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
  'max_new_tokens',
  'min_tokens',
  'n',
  'best_of',
  'candidateCount',
  'num_images',
  'num_return_sequences',
];

/** Members that some server understands, and that cost something beside the tokens. */
export const memberOf: fc.Arbitrary<Member> = pick(
  member('service_tier', 'priority'),
  member('service_tier', 'flex'),
  member('speed', 'fast'),
  member('inference_geo', 'us'),
  member('models', ['gpt-5.4']),
  member('models', ['unheard-of']),
  member('model', 'gpt-5.4'),
  member('modalities', ['text', 'audio']),
  member('prediction', { type: 'content', content: 'x'.repeat(500) }),
  member('plugins', [{ id: 'web' }]),
  member('web_search_options', {}),
  member('tools', [{ type: 'code_interpreter' }]),
  member('tools', [{ type: 'mcp', server_url: 'https://x.example' }]),
  member('tools', [{ type: 'web_search' }]),
  member('tools', [{ googleSearch: {} }]),
  member('mcp_servers', [{ url: 'https://x.example' }]),
  member('container', 'auto'),
  member('background', true),
  member('extra_body', { max_tokens: 100_000 }),
  member('options', { num_predict: 100_000 }),
  member('thinking', { type: 'enabled', budget_tokens: 50_000 }),
  member('context_management', { edits: [{ type: 'compact_20260112' }] }),
  member('previous_response_id', 'resp_1'),
  member('cachedContent', 'cachedContents/1'),
);

const openai = (path: string) => [`/openai/v1/${path}`];
const gemini = (verb: string, ...names: string[]) => names.map((name) => `/gemini/v1beta/models/${name}:${verb}`);

export const operations: Operation[] = [
  {
    name: 'chat',
    weight: 8,
    paths: [...openai('chat/completions'), '/openai/openai/deployments/gpt-4o-mini/chat/completions'],
    needs: [
      modelMember('gpt-4o-mini', 'gpt-4o-mini', 'gpt-5-nano', 'gpt-4o', 'gpt-audio-mini', 'gpt-5.4'),
      messages.map((value) => member('messages', value)),
    ],
    bounds: ['max_tokens', 'max_completion_tokens'],
    may: [
      ...sampling,
      ...thinking,
      member('n', 2),
      member('n', 5),
      member('tools', [ownTool]),
      member('response_format', { type: 'text' }),
    ],
  },
  {
    name: 'completions',
    weight: 2,
    paths: openai('completions'),
    needs: [
      modelMember('gpt-4o-mini', 'gpt-5-nano'),
      pick(
        member('prompt', 'x'),
        member('prompt', ['x', 'y', 'z']),
        member('prompt', [[1, 2], [3]]),
        member('prompt', [1, 2]),
      ),
    ],
    bounds: ['max_tokens'],
    may: [...sampling, member('n', 3), member('best_of', 4)],
  },
  {
    name: 'responses',
    weight: 5,
    paths: openai('responses'),
    needs: [modelMember('gpt-5-nano', 'gpt-4o-mini', 'gpt-5.4'), inputs.map((value) => member('input', value))],
    bounds: ['max_output_tokens'],
    may: [
      ...sampling,
      member('tools', [{ type: 'web_search' }]),
      member('max_tool_calls', 2),
      member('background', true),
      member('reasoning', { effort: 'low' }),
      member('conversation', 'conv_1'),
    ],
  },
  {
    name: 'embeddings',
    weight: 1,
    paths: openai('embeddings'),
    needs: [
      modelMember('text-embedding-3-small'),
      pick(member('input', 'x'), member('input', ['x', 'y']), member('input', [[1], [2]])),
    ],
    bounds: [],
    may: [member('dimensions', 256), member('user', 'u')],
  },
  {
    name: 'images',
    weight: 1,
    paths: openai('images/generations'),
    needs: [modelMember('gpt-image-1-mini'), textMember('prompt')],
    bounds: [],
    may: [
      member('n', 3),
      member('size', '1024x1536'),
      member('size', '3840x2160'),
      member('quality', 'high'),
      member('output_format', 'svg'),
    ],
  },
  {
    name: 'speech',
    weight: 1,
    paths: openai('audio/speech'),
    needs: [modelMember('tts-1'), textMember('input'), fc.constant(member('voice', 'alloy'))],
    bounds: [],
    may: [member('speed', 2), member('response_format', 'mp3')],
  },
  {
    name: 'messages',
    weight: 6,
    paths: ['/anthropic/v1/messages'],
    needs: [
      modelMember('claude-haiku-4-5', 'claude-haiku-4-5', 'claude-opus-4-6'),
      messages.map((value) => member('messages', value)),
    ],
    bounds: ['max_tokens'],
    may: [
      ...sampling.slice(0, 2),
      member('thinking', { type: 'enabled', budget_tokens: 1_024 }),
      member('system', [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }]),
      member('tools', [{ name: 'look', input_schema: { type: 'object' } }]),
      member('tools', [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }]),
      member('tools', [{ type: 'web_search_20250305', name: 'web_search' }]),
      member('context_management', { edits: [{ type: 'clear_tool_uses_20250919' }] }),
    ],
  },
  {
    name: 'generateContent',
    weight: 4,
    paths: gemini('generateContent', 'gemini-2.5-flash', 'gemini-2.5-pro'),
    needs: [contents.map((value) => member('contents', value))],
    bounds: ['maxOutputTokens', 'max_output_tokens'],
    settings: 'generationConfig',
    may: [
      member('candidateCount', 3),
      member('thinkingConfig', { thinkingBudget: 500 }),
      member('responseModalities', ['TEXT', 'IMAGE']),
      member('tools', [{ functionDeclarations: [{ name: 'look' }] }]),
    ],
  },
  {
    name: 'interactions',
    weight: 1,
    paths: ['/gemini/v1beta/interactions'],
    needs: [modelMember('gemini-2.5-flash'), textMember('input')],
    bounds: ['max_output_tokens'],
    settings: 'generation_config',
    may: [member('store', false), member('background', true), member('agent', 'deep-research')],
  },
  {
    name: 'embedContent',
    weight: 1,
    paths: gemini('embedContent', 'gemini-embedding-001'),
    needs: [words.map((text) => member('content', { parts: [{ text }] }))],
    bounds: [],
    may: [member('taskType', 'CLUSTERING')],
  },
  {
    name: 'batches, and paths that nobody knows',
    weight: 1,
    paths: [
      '/anthropic/v1/messages/batches',
      '/openai/v1/batches',
      '/openai/v1/threads/t/runs',
      ...gemini('batchGenerateContent', 'gemini-2.5-pro'),
    ],
    needs: [modelMember('gpt-4o-mini')],
    bounds: [],
    may: [member('requests', [])],
  },
];
