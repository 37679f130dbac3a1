import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import { type Dialect, decodeName, nothingTold, type Operation, toPlainPath, usual } from '../operation.ts';
import { makeMatcher } from '../paths.ts';
import { BatchResultsReader } from './batches.ts';
import * as bounds from './bounds.ts';
import { formatRefusal, formatStreamError, MessageStreamReader } from './stream.ts';
import { readMessageText } from './text.ts';
import { answerNames, listModels, readTools } from './tools.ts';
import { readMessageFigures } from './usage.ts';

/** On Vertex AI the path names the model: `.../publishers/anthropic/models/{model}:rawPredict`. */
const vertexTarget = /\/publishers\/anthropic\/models\/([^/:]+):(?:streamRawPredict|rawPredict)\/?$/;

function findVertexModel(path: string): string | null {
  const [, model = null] = vertexTarget.exec(toPlainPath(path)) ?? [];
  return model && decodeName(model);
}

const textMembers = (body: JsonObject) => [body.system, body.messages, body.tools];

const plain: Operation = {
  api: 'anthropic',
  name: 'messages',
  geoMember: 'inference_geo',
  known: bounds.known,
  paidElsewhere: 'billing_policy',
  ...usual,
  createStreamReader: () => new MessageStreamReader(),
  readRequest(value, path) {
    const body = asObject(value);
    return {
      requestedModel: asText(body.model) ?? findVertexModel(path),
      stream: body.stream === true,
      toldUsage: {},
      inputText: () => collectText(...textMembers(body)),
    };
  },
  readTools,
  listModels,
  answerNames,
  readAnswer: (body) => ({ ...readMessageFigures(body), outputText: () => readMessageText(body) }),
};

/** https://platform.claude.com/docs/en/manage-claude/api-and-data-retention */
const messages: Operation = {
  ...plain,
  bounds: bounds.messages,
  stores: { members: 'container thread', tools: 'code_execution' },
};

const countTokens: Operation = {
  ...plain,
  name: 'messages.count_tokens',
  isFree: true,
  readAnswer: () => nothingTold,
};

const listBatch = ({ requests }: JsonObject) => asArray(requests).map((request) => asObject(asObject(request).params));

const createBatch: Operation = {
  ...plain,
  name: 'messages.batches',
  known: bounds.knownOfBatch,
  knownOfCalls: bounds.known,
  isFree: true,
  isBilledLater: true,
  stores: 'a batch',
  listCalls: listBatch,
  batchedBounds: bounds.messages,
  readRequest(value) {
    const calls = listBatch(asObject(value));
    const models = new Set(calls.map(({ model }) => asText(model)));
    return {
      requestedModel: models.size === 1 ? ([...models][0] ?? null) : null,
      stream: false,
      toldUsage: {},
      inputText: () => collectText(calls.flatMap(textMembers)),
    };
  },
  readAnswer: () => nothingTold,
};

const resultsTarget = /\/messages\/batches\/([^/]+)\/results\/?$/;

const batchResults: Operation = {
  ...plain,
  name: 'messages.batches.results',
  answerFormat: 'lines',
  billedOnce: (path) => resultsTarget.exec(path)?.[1] ?? null,
  createStreamReader: (onCall) => new BatchResultsReader(onCall),
  readAnswer: () => nothingTold,
};

/** OpenAI has messages too, inside of threads: those have an id before them and are no model call. */
const matchEnding = makeMatcher(
  [messages, countTokens, createBatch],
  '^(?:.*/v1)?/',
  '(?:.*/)?publishers/anthropic/models/[^/:]+',
);

/** What Vertex AI counts with stands for the model. */
const vertexCount = /\/publishers\/anthropic\/models\/count-tokens:rawPredict$/;

const match: Dialect['match'] = (path, method) => {
  if (method === 'GET') return resultsTarget.test(path) ? batchResults : null;
  const plain = toPlainPath(path);
  return vertexCount.test(plain) ? countTokens : matchEnding(plain);
};

export const anthropic: Dialect = {
  match,
  // `results_url`, which the SDK calls.
  links: [{ at: /\/messages\/batches(?:\/[^/]+(?:\/cancel)?)?\/?$/, path: /\/v1\/messages\/batches\// }],
  // What workload identities and Claude Code exchange for a key, and what runners of agents get.
  credentialPaths:
    /\/(?:oauth\d?\/token|create_api_key|tunnels\/[^/]+\/(?:reveal|rotate)_token|environments\/[^/]+\/work)(?:[/.:]|$)/,
  hostedAgentPaths: /\/v\d[a-z0-9]*\/(?:agents|sessions|dreams|deployments|environments)(?:[/.:]|$)/,
  keepingPaths: /\/(?:files|skills|memory_stores|user_profiles)(?:\/|$)/,
  conversation: ['messages'],
  keyHeader: (apiKey) => ({ 'x-api-key': apiKey }),
  formatRefusal,
  formatStreamError,
};
