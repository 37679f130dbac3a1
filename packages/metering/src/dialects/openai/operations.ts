import { largestOutput, makeUsage, readCount, type Usage } from '@agp/catalogue';
import type { OperationName } from '@agp/core/operations';
import { asArray, asObject, type JsonObject } from '../../json/members.ts';
import { readWriting } from '../../text/stream-text.ts';
import { collectText } from '../../text/strings.ts';
import type { Write } from '../../text/writing.ts';
import { readFigures, tableFigures } from '../figures.ts';
import { type Dialect, describeLater, type Operation, toCancelPath } from '../operation.ts';
import { makeMatcher } from '../paths.ts';
import { type Storing, storesUnsaid } from '../stored.ts';
import { matchBatches } from './batches.ts';
import * as bounds from './bounds.ts';
import { cohereChat, cohereEmbed } from './cohere.ts';
import { describeOperation, type Figures, type OperationDescription } from './describe-operation.ts';
import * as media from './media.ts';
import * as members from './members.ts';
import { ResponseStreamReader, readResponseFigures, readResponseText, searchesByPreview } from './responses.ts';
import { CompletionStreamReader, formatRefusal, formatStreamError, noOutput } from './stream.ts';
import { readChat, readCompletion } from './text.ts';
import { readTools } from './tools.ts';
import { readCompletionFigures, readUsageFigures, usageTable } from './usage.ts';

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

/** OpenAI's responses and xAI's deferred chats are answered before they are done. */
const isInBackground = ({ background, deferred }: JsonObject) => Boolean(background || deferred);

/** Its usage comes with a later answer, which may never be fetched: until then it is taken to be as long as it may. */
function readBackground(body: JsonObject): Partial<Usage> {
  if (!isInBackground(body)) return {};
  const bound = body.max_output_tokens ?? body.max_completion_tokens ?? body.max_tokens;
  return { completionTokens: readCount(bound) ?? largestOutput };
}

/** Hosts that store no chat unless it is said; OpenAI's accounts differ (https://developers.openai.com/api/docs/guides/migrate-to-responses). */
const storesSaid = /(?:^|\.)(?:azure\.com|mistral\.ai|groq\.com|amazonaws\.com|api\.aws)$/;

const chatCompletions = describeOperation({
  ...describeCompletion(readChat),
  name: 'chat.completions',
  bounds: bounds.chat,
  known: members.chat,
  input: ['messages', 'tools', 'functions', 'response_format', 'prediction'],
  readToldUsage: readBackground,
  isInBackground,
  stores: { unsaid: ({ hostname }) => (storesSaid.test(hostname) ? false : null), members: 'deferred audio' },
  guardrail: 'headers at AWS',
  readTools,
});

/** Perplexity's: a chat within a request, and later within an answer. */
const asyncChat: Operation = {
  ...chatCompletions,
  name: 'async.chat.completions',
  bounds: undefined,
  stores: 'an answer that is fetched later',
  known: members.asyncChat,
  knownOfCalls: members.chat,
  listCalls: ({ request }) => [asObject(request)],
  readRequest: (body, path, size) =>
    chatCompletions.readRequest({ ...asObject(asObject(body).request), deferred: true }, path, size),
  readAnswer: (body) => chatCompletions.readAnswer(asObject(body).response ?? body),
};

const completions = describeOperation({
  ...describeCompletion(readCompletion),
  name: 'completions',
  bounds: bounds.completions,
  known: members.completions,
  input: ['prompt', 'suffix'],
  readTools,
  readToldUsage: ({ prompt }) => countTokenIds(prompt),
});

/** Mistral's fill-in-the-middle: requested like a completion, answered like a chat. */
const fimCompletions = describeOperation({
  ...describeCompletion(readChat),
  name: 'fim.completions',
  bounds: bounds.completions,
  known: members.completions,
  input: ['prompt', 'suffix'],
});

/** https://developers.openai.com/api/docs/guides/your-data */
const storesResponses: Storing = {
  unsaid: storesUnsaid,
  members: 'background conversation previous_response_id',
  tools: 'code_interpreter shell',
};

function describeResponses(name: OperationName, isFree: boolean, stores?: Storing): Operation {
  return describeOperation({
    name,
    stores,
    bounds: bounds.responses,
    known: members.responses,
    isFree,
    input: ['instructions', 'prompt', 'input', 'tools', 'text'],
    readToldUsage: readBackground,
    isInBackground,
    readTools,
    searchesByPreview,
    figuresWithin: ['web_search', 'file_search', 'code_interpreter', 'shell', 'image_generation']
      .map((tool) => `"${tool}_call"`)
      .concat('"svg_usage"'),
    readFigures: readResponseFigures,
    readText: readResponseText,
    createStreamReader: () => new ResponseStreamReader(),
  });
}

/** Cohere bills searches of up to 100 documents. */
const billedUnits = tableFigures({ rerankSearches: 'search_units' });

/** Nothing is written; some servers give the total alone. */
function readInputFigures(answer: unknown): Figures {
  const { usage, meta } = asObject(answer);
  const { counts, notes } = readFigures(asObject(meta).billed_units, billedUnits);
  if (counts.rerankSearches) return { usage: makeUsage(counts), ...notes };
  return readUsageFigures({ completion_tokens: 0, ...asObject(usage) });
}

const embeddings = describeOperation({
  name: 'embeddings',
  bounds: bounds.embeddings,
  known: members.embeddings,
  ...noOutput,
  input: ['input'],
  readToldUsage: ({ input }) => countTokenIds(input),
  readFigures: readInputFigures,
});

/** Jina, Voyage, vLLM and others order documents by a question; an answer only repeats them. */
const rerank = describeOperation({
  name: 'rerank',
  known: members.rerank,
  ...noOutput,
  input: ['query', 'documents'],
  readFigures: readInputFigures,
});

/** Mistral bills pages, and those that it annotates at another price. */
function readPages(answer: unknown): Figures {
  const { usage_info: info, document_annotation: annotation } = asObject(answer);
  const { counts, notes } = readFigures(info, usageTable);
  const { inputPages = Number.NaN } = counts;
  const annotatedPages = annotation ? inputPages : 0;
  return { usage: Number.isNaN(inputPages) ? null : makeUsage({ inputPages, annotatedPages }), ...notes };
}

const ocr = describeOperation({
  name: 'ocr',
  known: members.ocr,
  writesText: false,
  input: ['document'],
  readFigures: readPages,
  readText: (answer) => collectText(asArray(asObject(answer).pages).map((page) => asObject(page).markdown)),
  createStreamReader: noOutput.createStreamReader,
});

const moderations = describeOperation({
  name: 'moderations',
  known: members.moderations,
  ...noOutput,
  isFree: true,
  input: ['input'],
  readFigures: () => ({ usage: null }),
});

const responses: Operation = { ...describeResponses('responses', false, storesResponses), cancelPath: toCancelPath };

const responseTarget = /\/responses\/([^/]+)(?:\/cancel)?\/?$/;
const deferredTarget = /\/chat\/deferred-completion\/([^/]+)\/?$/;
const asyncTarget = /\/async\/chat\/completions\/([^/]+)\/?$/;

const responseLater = describeLater(responses, responseTarget, ({ background }) => background === true);

/** Chats that the provider stores were billed when they were made. */
const storedChats: Operation = {
  ...chatCompletions,
  name: 'chat.completions.get',
  bounds: undefined,
  isFree: true,
  stores: undefined,
};

const byTarget: readonly (readonly [RegExp, Operation])[] = [
  [responseTarget, responseLater],
  [deferredTarget, describeLater(chatCompletions, deferredTarget, () => true)],
  [asyncTarget, describeLater(asyncChat, asyncTarget, () => true)],
  [/\/(?<!\/async\/)chat\/completions\/[^/]+$/, storedChats],
];

const matchEnding = makeMatcher([
  ...[asyncChat, chatCompletions, fimCompletions, completions, cohereChat, cohereEmbed, embeddings, rerank, ocr],
  ...[responses, describeResponses('responses.compact', false, { members: 'previous_response_id' })],
  ...[describeResponses('responses.input_tokens', true), describeResponses('decisions', false)],
  ...[media.imageGenerations, media.imageEdits, media.imageVariations, media.videos],
  ...[media.transcriptions, media.translations, media.speech, moderations],
]);

/** Matched by the end of the path: compatible servers and Azure put all kinds of things before it. */
const match: Dialect['match'] = (path, method) => {
  const ofBatches = matchBatches(path, method);
  if (ofBatches) return ofBatches;
  if (method === 'GET') return byTarget.find(([target]) => target.test(path) && !path.endsWith('/cancel'))?.[1] ?? null;
  if (path.endsWith('/cancel')) return responseTarget.test(path) ? responseLater : null;
  return matchEnding(path);
};

/** Realtime, Live and ChatKit sessions are held past the proxy; the others make keys, also at servers that only speak the format. */
const credentialPaths =
  /\/(?:realtime(?:api|rtc)?|live|client_secrets?|chatkit\/sessions|service_accounts|(?:admin_)?(?:api[_-]?)?keys|key\/generate|auth\/grant|single-use-token|get-signed-url)(?:[/.:]|$)/;

export const openai: Dialect = {
  match,
  credentialPaths,
  hostedAgentPaths: /\/v\d[a-z0-9]*\/agents(?:[/.:]|$)/,
  keepingPaths:
    /\/(?:files|uploads|vector_stores|assistants|threads|conversations|fine_tuning|evals|containers|skills|chatkit|voices)(?:\/|$)/,
  // Where OpenRouter and others let a video be asked for and fetched.
  links: [{ at: /\/videos(?:\/[^/]+)?\/?$/, path: /\/v1\/videos\// }],
  conversation: ['messages', 'input'],
  keyHeader: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  formatRefusal,
  formatStreamError,
};
