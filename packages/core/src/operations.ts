/** The formats that providers speak; each is also the id of the provider that it is named after. */
export const providerApis = ['openai', 'anthropic', 'gemini'] as const;

export type ProviderApi = (typeof providerApis)[number];

/** What operations do, in OpenTelemetry's words; all others have no word but their own name. */
const kinds = {
  chat: 'chat.completions async.chat.completions responses decisions messages interactions cohere.chat',
  generate_content: 'generateContent streamGenerateContent',
  text_completion: 'completions fim.completions',
  embeddings: 'embeddings embedContent batchEmbedContents cohere.embed',
};

/** Operations that are answered before they are billed, and do not say so in a word of their name. */
const batches = ['batchGenerateContent', 'asyncBatchEmbedContent', 'batchPredictionJobs'];

const kindOf = new Map(Object.entries(kinds).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind])));

/** What rules call operations beside the words of their names, and what these do. */
const others: Readonly<Record<string, string>> = {
  completions: 'chat',
  'fim.completions': 'chat',
  predict: 'images',
  predictLongRunning: 'videos',
};

/** OpenTelemetry's name for an operation of a provider. */
export const nameOperationKind = (operation: string): string => kindOf.get(operation) ?? operation;

/** Whether it makes a batch, whose calls are billed with its results. */
export const startsBatch = (operation: string): boolean =>
  ['batches', 'messages.batches', ...batches].includes(operation);

/** All names by which rules may know an operation, its own first: `images` stands for `images.edits`, and `batches` for all batches. */
export function listOperationNames(operation: string): string[] {
  const words = operation.split('.');
  const isBatch = words.includes('batches') || batches.includes(operation);
  const own = [...words, nameOperationKind(operation), ...(others[operation] ? [others[operation]] : [])];
  return [...new Set([operation, ...(isBatch ? ['batches'] : own)])];
}

/** Operations that no table above has. */
const further =
  `async.chat.completions.get chat.completions.get interactions.get responses.get responses.compact responses.input_tokens
  messages.batches messages.batches.results messages.count_tokens batches batches.get batches.list countTokens computeTokens
  fetchPredictOperation cachedContents.create cachedContents.update audio.speech audio.transcriptions audio.translations images.edits
  images.generations images.variations videos moderations ocr rerank unknown`.split(/\s+/);

/** All names by which rules may know any operation, in order. */
export const operationNames: readonly string[] = [
  ...new Set([...kindOf.keys(), ...batches, ...Object.keys(others), ...further].flatMap(listOperationNames)),
].sort();
