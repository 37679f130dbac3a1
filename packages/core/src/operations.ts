/** The formats that providers speak; each is also the id of the provider that it is named after, if there is one for all. */
export const providerApis = ['openai', 'anthropic', 'gemini', 'bedrock'] as const;

export type ProviderApi = (typeof providerApis)[number];

/** What holds of an operation before any of its bytes are read. */
export interface OperationRow {
  /** The ends of its paths, as an expression in which `{model}` stands for a model's name; absent if it only shows what another started. */
  readonly path?: string;
  /** What it does, in OpenTelemetry's words; absent if these have none. */
  readonly kind?: 'chat' | 'generate_content' | 'text_completion' | 'embeddings';
  /** What rules call it beside its kind and the words of its name. */
  readonly alsoNamed?: 'chat' | 'images' | 'videos';
  /** Callers may use the provider's configured key for it, unless an operator lists other paths. */
  readonly takesOurKey?: true;
  /** It is answered before its calls are billed, with its results. */
  readonly startsBatch?: true;
}

/** A model at AWS, by its id or by its ARN, which has a slash at most. */
const bedrockModel = 'model/[^/]+(?:/[^/]+)?';

const rows = {
  'chat.completions': { path: 'chat/completions', kind: 'chat', takesOurKey: true },
  'chat.completions.get': {},
  'async.chat.completions': { path: 'async/chat/completions', kind: 'chat' },
  'async.chat.completions.get': {},
  completions: { path: 'completions', kind: 'text_completion', alsoNamed: 'chat', takesOurKey: true },
  'fim.completions': { path: 'fim/completions', kind: 'text_completion', alsoNamed: 'chat', takesOurKey: true },
  responses: { path: 'responses', kind: 'chat', takesOurKey: true },
  'responses.get': {},
  'responses.compact': { path: 'responses/compact', takesOurKey: true },
  'responses.input_tokens': { path: 'responses/input_tokens', takesOurKey: true },
  decisions: { path: 'decisions', kind: 'chat' },
  embeddings: { path: 'embeddings', kind: 'embeddings', takesOurKey: true },
  rerank: { path: 'rerank', takesOurKey: true },
  'cohere.chat': { path: 'v[12]/chat', kind: 'chat' },
  'cohere.embed': { path: 'v[12]/embed', kind: 'embeddings' },
  ocr: { path: 'ocr' },
  moderations: { path: 'moderations', takesOurKey: true },
  videos: { path: 'videos(?:/(?:generations|edits|extensions|[^/]+/remix))?|video/generations(?:/jobs)?' },
  'images.generations': { path: 'images/generations', takesOurKey: true },
  'images.edits': { path: 'images/edits', takesOurKey: true },
  'images.variations': { path: 'images/variations', takesOurKey: true },
  'audio.transcriptions': { path: 'audio/transcriptions', takesOurKey: true },
  'audio.translations': { path: 'audio/translations', takesOurKey: true },
  'audio.speech': { path: 'audio/speech', takesOurKey: true },
  // Batches belong to the account: anybody with its key can see and end them.
  batches: { path: 'batches|batch/jobs', startsBatch: true },
  'batches.get': {},
  'batches.list': {},
  messages: { path: 'messages|{model}:(?:streamRawPredict|rawPredict)', kind: 'chat', takesOurKey: true },
  'messages.count_tokens': { path: 'messages/count_tokens', takesOurKey: true },
  'messages.batches': { path: 'messages/batches', startsBatch: true },
  'messages.batches.results': {},
  generateContent: { path: '{model}:generateContent', kind: 'generate_content', takesOurKey: true },
  streamGenerateContent: { path: '{model}:streamGenerateContent', kind: 'generate_content', takesOurKey: true },
  embedContent: { path: '{model}:embedContent', kind: 'embeddings', takesOurKey: true },
  batchEmbedContents: { path: '{model}:batchEmbedContents', kind: 'embeddings', takesOurKey: true },
  countTokens: { path: '{model}:countTokens', takesOurKey: true },
  batchGenerateContent: { path: '{model}:batchGenerateContent', startsBatch: true },
  asyncBatchEmbedContent: { path: '{model}:asyncBatchEmbedContent', startsBatch: true },
  computeTokens: { path: '{model}:computeTokens' },
  fetchPredictOperation: { path: '{model}:fetchPredictOperation' },
  predict: { path: '{model}:predict', alsoNamed: 'images' },
  predictLongRunning: { path: '{model}:predictLongRunning', alsoNamed: 'videos' },
  interactions: { path: 'interactions', kind: 'chat', takesOurKey: true },
  'interactions.get': {},
  'cachedContents.create': { path: 'cachedContents' },
  'cachedContents.update': { path: 'cachedContents/[^/:]+' },
  converse: { path: `${bedrockModel}/converse`, kind: 'chat', takesOurKey: true },
  'converse-stream': { path: `${bedrockModel}/converse-stream`, kind: 'chat', takesOurKey: true },
  invoke: { path: `${bedrockModel}/invoke`, kind: 'chat', takesOurKey: true },
  'invoke-with-response-stream': {
    path: `${bedrockModel}/invoke-with-response-stream`,
    kind: 'chat',
    takesOurKey: true,
  },
  'count-tokens': { path: `${bedrockModel}/count-tokens`, takesOurKey: true },
  batchPredictionJobs: { path: 'batchPredictionJobs', startsBatch: true },
} as const satisfies Readonly<Record<string, OperationRow>>;

export type OperationName = keyof typeof rows;

/** All operations of providers that can be read, by name. */
export const operationRows: ReadonlyMap<string, OperationRow> = new Map(Object.entries(rows));

/** OpenTelemetry's name for an operation of a provider. */
export const nameOperationKind = (operation: string): string => operationRows.get(operation)?.kind ?? operation;

/** Whether it makes a batch, whose calls are billed with its results. */
export const startsBatch = (operation: string): boolean => operationRows.get(operation)?.startsBatch === true;

/** All names by which rules may know an operation, its own first: `images` stands for `images.edits`, and `batches` for all batches. */
export function listOperationNames(operation: string): string[] {
  const row = operationRows.get(operation);
  const words = operation.split('.');
  if (row?.startsBatch || words.includes('batches')) return [...new Set([operation, 'batches'])];
  const also = row?.alsoNamed === undefined ? [] : [row.alsoNamed];
  return [...new Set([operation, ...words, row?.kind ?? operation, ...also])];
}

/** All names by which rules may know any operation, in order. */
export const operationNames: readonly string[] = [
  ...new Set([...operationRows.keys(), 'unknown'].flatMap(listOperationNames)),
].sort();
