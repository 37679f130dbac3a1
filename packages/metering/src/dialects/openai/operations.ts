import { largestOutput, makeUsage, readCount, type Usage } from '@agp/pricing';
import { asArray, asObject, type JsonObject } from '../../json/members.ts';
import { readWriting } from '../../text/stream-text.ts';
import { collectText } from '../../text/strings.ts';
import type { Write, Writing } from '../../text/writing.ts';
import { listFigures, noteFigures } from '../figures.ts';
import type { Dialect, Operation } from '../operation.ts';
import * as bounds from './bounds.ts';
import { readCompletionFigures } from './completion-usage.ts';
import { describeOperation, type Figures, type OperationDescription } from './describe-operation.ts';
import { imageEdits, imageGenerations, imageVariations, speech, transcriptions, translations } from './media.ts';
import { ResponseStreamReader, readResponseFigures, readResponseText } from './responses.ts';
import { CompletionStreamReader, formatStreamError } from './stream.ts';
import { readChat, readCompletion } from './text.ts';
import { readUsageFigures, usageFigures } from './usage.ts';

const noText = (): Writing => ({ parts: [], whole: true });

function countTokenIds(input: unknown): Partial<Usage> {
  const ids = asArray(input).flat(1);
  return { promptTokens: ids.filter((id) => typeof id === 'number').length };
}

function describeCompletion(readText: (body: unknown, write: Write) => void) {
  return {
    usageNeedsAsking: true,
    readFigures: (answer) => readCompletionFigures(asObject(answer), asObject(answer).model),
    readText: (answer) => readWriting(answer, readText),
    createStreamReader: () => new CompletionStreamReader(readText),
  } satisfies Partial<OperationDescription>;
}

const chatCompletions = describeOperation({
  ...describeCompletion(readChat),
  name: 'chat.completions',
  traceName: 'chat',
  bounds: bounds.chat,
  input: ['messages', 'tools', 'functions', 'response_format', 'prediction'],
});

const completions = describeOperation({
  ...describeCompletion(readCompletion),
  name: 'completions',
  traceName: 'text_completion',
  bounds: bounds.completions,
  input: ['prompt', 'suffix'],
  readToldUsage: ({ prompt }) => countTokenIds(prompt),
});

/** Mistral's fill-in-the-middle: requested like a completion, answered like a chat. */
const fimCompletions = describeOperation({
  ...describeCompletion(readChat),
  name: 'fim.completions',
  traceName: 'text_completion',
  bounds: bounds.completions,
  input: ['prompt', 'suffix'],
});

/** Its usage comes with a later request that may never be made: it is taken to be as long as it may. */
function readBackground(body: JsonObject): Partial<Usage> {
  return body.background ? { completionTokens: readCount(body.max_output_tokens) ?? largestOutput } : {};
}

function describeResponses(name: string, isFree: boolean): Operation {
  return describeOperation({
    name,
    traceName: name === 'responses' ? 'chat' : undefined,
    bounds: bounds.responses,
    isFree,
    input: ['instructions', 'prompt', 'input', 'tools', 'text'],
    readToldUsage: readBackground,
    isInBackground: ({ background }) => Boolean(background),
    figuresWithin: ['web_search', 'file_search', 'code_interpreter', 'shell', 'image_generation']
      .map((tool) => `"${tool}_call"`)
      .concat('"svg_usage"'),
    readFigures: readResponseFigures,
    readText: readResponseText,
    createStreamReader: () => new ResponseStreamReader(),
  });
}

const noStream = () => new CompletionStreamReader(() => undefined);

const billedUnits = listFigures('search_units');

/** Nothing is written; some servers give the total alone. */
function readInputFigures(answer: unknown): Figures {
  const { usage, meta } = asObject(answer);
  // Cohere bills searches of up to 100 documents.
  const { search_units: rerankSearches } = asObject(asObject(meta).billed_units);
  if (rerankSearches)
    return { usage: makeUsage({ rerankSearches }), ...noteFigures(asObject(meta).billed_units, billedUnits) };
  return readUsageFigures({ completion_tokens: 0, ...asObject(usage) });
}

const embeddings = describeOperation({
  name: 'embeddings',
  traceName: 'embeddings',
  bounds: bounds.embeddings,
  writesText: false,
  input: ['input'],
  readToldUsage: ({ input }) => countTokenIds(input),
  readFigures: readInputFigures,
  readText: noText,
  createStreamReader: noStream,
});

/** Jina, Voyage, vLLM and others order documents by a question; an answer only repeats them. */
const rerank = describeOperation({
  name: 'rerank',
  writesText: false,
  input: ['query', 'documents'],
  readFigures: readInputFigures,
  readText: noText,
  createStreamReader: noStream,
});

/** Mistral bills pages, and those that it annotates at another price. */
function readPages(answer: unknown): Figures {
  const { usage_info: info, document_annotation: annotation } = asObject(answer);
  const inputPages = readCount(asObject(info).pages_processed);
  const annotatedPages = annotation ? inputPages : 0;
  return {
    usage: inputPages === null ? null : makeUsage({ inputPages, annotatedPages }),
    ...noteFigures(info, usageFigures),
  };
}

const ocr = describeOperation({
  name: 'ocr',
  writesText: false,
  input: ['document'],
  readFigures: readPages,
  readText: (answer) => collectText(asArray(asObject(answer).pages).map((page) => asObject(page).markdown)),
  createStreamReader: noStream,
});

const moderations = describeOperation({
  name: 'moderations',
  isFree: true,
  input: ['input'],
  readFigures: () => ({ usage: null }),
  readText: noText,
  createStreamReader: noStream,
});

const byEnding: readonly (readonly [string, Operation])[] = [
  ['/chat/completions', chatCompletions],
  ['/fim/completions', fimCompletions],
  ['/completions', completions],
  ['/responses', describeResponses('responses', false)],
  ['/responses/compact', describeResponses('responses.compact', false)],
  ['/responses/input_tokens', describeResponses('responses.input_tokens', true)],
  ['/embeddings', embeddings],
  ['/rerank', rerank],
  ['/ocr', ocr],
  ['/images/generations', imageGenerations],
  ['/images/edits', imageEdits],
  ['/images/variations', imageVariations],
  ['/audio/transcriptions', transcriptions],
  ['/audio/translations', translations],
  ['/audio/speech', speech],
  ['/moderations', moderations],
];

/** Matched by the end of the path: compatible servers and Azure put all kinds of things before it. */
const match: Dialect['match'] = (path, method) =>
  method === 'POST' ? (byEnding.find(([ending]) => path.endsWith(ending))?.[1] ?? null) : null;

/** Realtime, Live and ChatKit sessions are held past the proxy; the others make keys, also at servers that only speak the format. */
const credentialPaths =
  /\/(?:realtime(?:api|rtc)?|live|client_secrets?|chatkit\/sessions|service_accounts|(?:admin_)?(?:api[_-]?)?keys|key\/generate|auth\/grant|single-use-token|get-signed-url)(?:[/.:]|$)/;

export const openai: Dialect = {
  match,
  credentialPaths,
  // Where OpenRouter and others let a video be asked for and fetched.
  links: [{ at: /\/videos(?:\/[^/]+)?\/?$/, path: /\/v1\/videos\// }],
  words: [],
  conversation: ['messages', 'input'],
  keyHeader: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  formatStreamError,
};
