import type { OperationName } from '@agp/core/operations';
import { asArray, asObject, type JsonObject } from '../../json/members.ts';
import { readWriting } from '../../text/stream-text.ts';
import { collectText } from '../../text/strings.ts';
import type { KnownMembers } from '../known-members.ts';
import { isPlainlySpelled } from '../named-tools.ts';
import { type Dialect, decodeName, type Operation, toPlainPath, usual } from '../operation.ts';
import { makeMatcher } from '../paths.ts';
import type { Storing } from '../stored.ts';
import { batchListTarget, batchTarget, describeBatchList, describeBatchResults } from './batches.ts';
import * as bounds from './bounds.ts';
import { groundings, matchInteraction } from './interactions.ts';
import * as members from './members.ts';
import { describePredictions, matchResource } from './predict.ts';
import { ContentStreamReader, formatRefusal, formatStreamError } from './stream.ts';
import { readContent } from './text.ts';
import { answerNames, listModels, readTools } from './tools.ts';
import { readContentFigures } from './usage.ts';

/** A model, which may also be a tuned one, and at Vertex AI an endpoint of it. */
const modelPlace = '(?:models|tunedModels|endpoints)/([^/:]+)';

const target = new RegExp(`/${modelPlace}:[A-Za-z]+/?$`);

function findModel(path: string): string | null {
  const [, model = null] = target.exec(toPlainPath(path)) ?? [];
  return model && decodeName(model).replace(/^(?:models|tunedModels)\//, '');
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

/**
 * Newer projects store what does not say, Vertex AI does not know the member; what grounds an answer is kept for 30 days
 * (https://ai.google.dev/gemini-api/docs/logs-datasets, https://ai.google.dev/gemini-api/docs/zdr).
 */
const contentStores: Storing = {
  unsaid: ({ hostname }) => (/(?:^|[.-])aiplatform\./.test(hostname) ? false : null),
  members: 'cached_content',
  tools: groundings,
};

const content = { bounds: bounds.generateContent, known: members.generateContent, stores: contentStores };

/** Its body holds calls, each with members of its own. */
const holdsCalls = (knownOfCalls: KnownMembers) => ({ listCalls: listContained, knownOfCalls });

const embeddings = { ...holdsCalls(members.embedContent), writesText: false };

const batch = {
  isFree: true,
  isBilledLater: true,
  bounds: bounds.batchGenerateContent,
  known: members.batchGenerateContent,
  stores: 'a batch',
};

/** What is particular to a verb of models. */
const verbs = {
  generateContent: content,
  streamGenerateContent: { ...content, answerFormat: 'array' },
  embedContent: { bounds: bounds.embedContent, known: members.embedContent, writesText: false },
  batchEmbedContents: { ...embeddings, bounds: bounds.batchEmbedContents, known: members.batchEmbedContents },
  batchGenerateContent: { ...batch, ...holdsCalls(members.generateContent), batchedBounds: bounds.generateContent },
  asyncBatchEmbedContent: { ...batch, ...embeddings, batchedBounds: bounds.embedContent },
  countTokens: { ...holdsCalls(members.generateContent), isFree: true, known: members.countTokens },
  computeTokens: { isFree: true, known: members.countTokens },
  fetchPredictOperation: { isFree: true, known: members.predict },
} satisfies Partial<Record<OperationName, Partial<Operation>>>;

function describe(name: keyof typeof verbs): Operation {
  return {
    api: 'gemini',
    name,
    ...usual,
    figuresWithin: ['"groundingMetadata"'],
    createStreamReader: () => new ContentStreamReader(),
    readTools,
    listModels,
    answerNames,
    ...verbs[name],
    readRequest(value, path) {
      const body = asObject(value);
      return {
        requestedModel: findModel(path),
        stream: name === 'streamGenerateContent',
        toldUsage: {},
        inputText: () => collectText(findCalls(body).flatMap(textMembers)),
      };
    },
    readAnswer: (body) => ({ ...readContentFigures(body), outputText: () => readWriting(body, readContent) }),
  };
}

const ownBatches = /^\/v1(?:(?:alpha|beta)\d*)?\/batches(?:\/|$)/;
const described = (Object.keys(verbs) as (keyof typeof verbs)[]).map(describe);
const matchVerb = makeMatcher([...described, ...describePredictions(findModel)], '/', modelPlace);
const batchResults = describeBatchResults({ ...describe('generateContent'), bounds: undefined, stores: undefined });
const batchList = describeBatchList(batchResults);

const match: Dialect['match'] = (path, method) => {
  const later = matchInteraction(path, method);
  if (later) return later;
  if (method === 'GET') {
    if (!ownBatches.test(path)) return null;
    return batchTarget.test(path) ? batchResults : batchListTarget.test(path) ? batchList : null;
  }
  return matchResource(path) ?? matchVerb(toPlainPath(path));
};

export const gemini: Dialect = {
  match,
  // `downloadUri`; a file's plain `uri` is sent back in requests, and stays.
  links: [{ at: /^\/v1(?:alpha|beta)\d*\/files(?:\/[^/:]+)?\/?$/, path: /\/v1[a-z0-9]*\/files\/[^"/:]+:download/ }],
  // Tokens of the Live API, also by the name of its service, and of service accounts.
  credentialPaths:
    /\/(?:auth_?tokens?|[^/]*authtokenservice)(?:[/.:]|$)|:(?:generate(?:access|id)token|signblob|signjwt|getkeystring)(?:[/.]|$)/,
  // Vertex AI's agents are engines.
  hostedAgentPaths: /\/v\d[a-z0-9]*\/(?:projects\/.+\/)?(?:agents|reasoningengines)(?:[/.:]|$)/,
  keepingPaths: /\/(?:files|filesearchstores|corpora|tunedmodels|tuningjobs|ragcorpora|datasets)(?:[/:]|$)/,
  conversation: ['contents', 'input'],
  keyHeader: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  formatRefusal,
  formatStreamError,
};
