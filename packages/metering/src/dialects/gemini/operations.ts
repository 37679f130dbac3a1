import { asArray, asObject, type JsonObject } from '../../json/members.ts';
import { readWriting } from '../../text/stream-text.ts';
import { collectText } from '../../text/strings.ts';
import { isPlainlySpelled } from '../named-tools.ts';
import { type Dialect, decodeName, type Operation, toPlainPath, usual } from '../operation.ts';
import type { Storing } from '../stored.ts';
import { batchListTarget, batchTarget, describeBatchList, describeBatchResults } from './batches.ts';
import * as bounds from './bounds.ts';
import { groundings, interactionOperations, matchInteraction } from './interactions.ts';
import * as members from './members.ts';
import { describePredictions, resources } from './predict.ts';
import { ContentStreamReader, formatRefusal, formatStreamError } from './stream.ts';
import { readContent } from './text.ts';
import { answerNames, listModels, readTools } from './tools.ts';
import { readContentFigures } from './usage.ts';

const free = [
  'countTokens',
  'batchGenerateContent',
  'asyncBatchEmbedContent',
  'computeTokens',
  'fetchPredictOperation',
] as const;

const names = ['generateContent', 'streamGenerateContent', 'embedContent', 'batchEmbedContents', ...free] as const;

/** `.../models/{model}:{operation}`; the model may also be a tuned one, and at Vertex AI an endpoint of it. */
const target = /\/(?:models|tunedModels|endpoints)\/([^/:]+):([A-Za-z]+)\/?$/;

function parsePath(path: string): { model: string; name: string } | null {
  const found = target.exec(toPlainPath(path));
  if (!found?.[1] || !found[2]) return null;
  return { model: decodeName(found[1]).replace(/^(?:models|tunedModels)\//, ''), name: found[2] };
}

function textMembers(body: JsonObject): unknown[] {
  return [body.systemInstruction ?? body.system_instruction, body.contents, body.tools, body.content];
}

const either = (value: unknown, camel: string, snake: string) => asObject(value)[camel] ?? asObject(value)[snake];

function findCalls(body: JsonObject): JsonObject[] {
  const { requests } = asObject(asObject(asObject(asObject(body.batch).inputConfig).requests));
  return [
    body,
    asObject(either(body, 'generateContentRequest', 'generate_content_request')),
    ...asArray(body.requests).map(asObject),
    ...asArray(requests).map((item) => asObject(asObject(item).request)),
  ];
}

/** The requests of a batch; null if a file has them. */
function listContained(body: JsonObject): JsonObject[] | null {
  if (body.batch === undefined) return findCalls(body);
  const config = either(body.batch, 'inputConfig', 'input_config');
  // In two spellings, it could be either.
  if (![asObject(body.batch), asObject(config)].every(isPlainlySpelled)) return null;
  const requests = asArray(asObject(asObject(config).requests).requests);
  if (either(config, 'fileName', 'file_name') !== undefined || requests.length === 0) return null;
  return requests.map((item) => asObject(asObject(item).request));
}

/** Their bodies hold calls, each with members of its own. */
const holdsCalls = new Set<string>([
  'batchEmbedContents',
  'countTokens',
  'batchGenerateContent',
  'asyncBatchEmbedContent',
]);

/**
 * Newer projects store what does not say, Vertex AI does not know the member; what grounds an answer is kept for 30 days
 * (https://ai.google.dev/gemini-api/docs/logs-datasets, https://ai.google.dev/gemini-api/docs/zdr).
 */
const contentStores: Storing = {
  unsaid: ({ hostname }) => (/(?:^|[.-])aiplatform\./.test(hostname) ? false : null),
  members: 'cached_content',
  tools: groundings,
};

type OperationKind = Pick<Operation, 'bounds' | 'batchedBounds' | 'known' | 'stores'>;

const kinds: Partial<Record<(typeof names)[number], OperationKind>> = {
  generateContent: { bounds: bounds.generateContent, known: members.generateContent, stores: contentStores },
  streamGenerateContent: { bounds: bounds.generateContent, known: members.generateContent, stores: contentStores },
  embedContent: { bounds: bounds.embedContent, known: members.embedContent },
  batchEmbedContents: { bounds: bounds.batchEmbedContents, known: members.batchEmbedContents },
  batchGenerateContent: {
    bounds: bounds.batchGenerateContent,
    batchedBounds: bounds.generateContent,
    stores: 'a batch',
    known: members.batchGenerateContent,
  },
  asyncBatchEmbedContent: {
    bounds: bounds.batchGenerateContent,
    batchedBounds: bounds.embedContent,
    stores: 'a batch',
    known: members.batchGenerateContent,
  },
  countTokens: { known: members.countTokens },
  computeTokens: { known: members.countTokens },
  fetchPredictOperation: { known: members.predict },
};

function describe(name: (typeof names)[number]): Operation {
  return {
    api: 'gemini',
    name,
    ...kinds[name],
    ...usual,
    answerFormat: name === 'streamGenerateContent' ? 'array' : 'object',
    figuresWithin: ['"groundingMetadata"'],
    isFree: free.some((each) => each === name),
    isBilledLater: /batch(?:Generate|Embed)Content$/i.test(name),
    writesText: !name.toLowerCase().includes('embed'),
    createStreamReader: () => new ContentStreamReader(),
    readTools,
    listModels,
    answerNames,
    ...(holdsCalls.has(name) && {
      listCalls: listContained,
      knownOfCalls: /embed/i.test(name) ? members.embedContent : members.generateContent,
    }),
    readRequest(value, path) {
      const body = asObject(value);
      return {
        requestedModel: parsePath(path)?.model ?? null,
        stream: name === 'streamGenerateContent',
        toldUsage: {},
        inputText: () => collectText(findCalls(body).flatMap(textMembers)),
      };
    },
    readAnswer: (body) => ({ ...readContentFigures(body), outputText: () => readWriting(body, readContent) }),
  };
}

const ownBatches = /^\/v1(?:(?:alpha|beta)\d*)?\/batches(?:\/|$)/;
const byName = new Map<string, Operation>([
  ...names.map((name) => [name, describe(name)] as const),
  ...describePredictions((path) => parsePath(path)?.model ?? null).map((each) => [each.name, each] as const),
]);
const batchResults = describeBatchResults({ ...describe('generateContent'), bounds: undefined, stores: undefined });
const batchList = describeBatchList(batchResults);

const match: Dialect['match'] = (path, method) => {
  const later = matchInteraction(path, method);
  if (later) return later;
  if (method === 'GET') {
    if (!ownBatches.test(path)) return null;
    return batchTarget.test(path) ? batchResults : batchListTarget.test(path) ? batchList : null;
  }
  const resource = resources.find(([place]) => place.test(path))?.[1];
  if (resource) return resource;
  return byName.get(parsePath(path)?.name ?? '') ?? null;
};

export const gemini: Dialect = {
  match,
  operations: [
    ...interactionOperations,
    ...resources.map(([, each]) => each),
    ...byName.values(),
    batchResults,
    batchList,
  ],
  // `downloadUri`; a file's plain `uri` is sent back in requests, and stays.
  links: [{ at: /^\/v1(?:alpha|beta)\d*\/files(?:\/[^/:]+)?\/?$/, path: /\/v1[a-z0-9]*\/files\/[^"/:]+:download/ }],
  // Tokens of the Live API, also by the name of its service, and of service accounts.
  credentialPaths:
    /\/(?:auth_?tokens?|[^/]*authtokenservice)(?:[/.:]|$)|:(?:generate(?:access|id)token|signblob|signjwt|getkeystring)(?:[/.]|$)/,
  // Vertex AI's agents are engines.
  hostedAgentPaths: /\/v\d[a-z0-9]*\/(?:projects\/.+\/)?(?:agents|reasoningengines)(?:[/.:]|$)/,
  keepingPaths: /\/(?:files|filesearchstores|corpora|tunedmodels|tuningjobs|ragcorpora|datasets)(?:[/:]|$)/,
  words: ['tunedModels', 'cachedContents', 'batchPredictionJobs', 'predictLongRunning', ...names],
  conversation: ['contents', 'input'],
  keyHeader: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  formatRefusal,
  formatStreamError,
};
