import { makeUsage, maxTokens, readCount, type Usage } from '@agp/catalogue';
import type { OperationName } from '@agp/core/operations';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import type { Writing } from '../../text/writing.ts';
import { readFigures, tableFigures } from '../figures.ts';
import { type AnswerReading, type Operation, type RequestReading, usual } from '../operation.ts';
import { makeMatcher } from '../paths.ts';
import * as members from './members.ts';
import { ContentStreamReader } from './stream.ts';
import { listModels, readTools } from './tools.ts';

type Asked = Partial<RequestReading> & Pick<RequestReading, 'requestedModel'>;

const noText = (): Writing => ({ parts: [], whole: true });

function describe(
  name: OperationName,
  readFigures: (answer: JsonObject) => Partial<AnswerReading>,
  readAsked: (body: JsonObject, path: string, size: number) => Asked,
): Operation {
  return {
    api: 'gemini',
    name,
    ...usual,
    writesText: false,
    createStreamReader: () => new ContentStreamReader(),
    readRequest: (value, path, size = 0) => ({
      stream: false,
      toldUsage: {},
      inputText: noText,
      ...readAsked(asObject(value), path, size),
    }),
    readAnswer: (body) => ({
      model: null,
      usage: null,
      serviceTier: null,
      outputText: noText,
      ...readFigures(asObject(body)),
    }),
  };
}

/** A number, also as text: `8`, `"8"`, `"8s"`. */
const readNumber = (value: unknown): number | null =>
  readCount(typeof value === 'number' ? value : Number.parseFloat(asText(value) ?? ''));

const toModel = (name: unknown) => asText(name)?.replace(/^.*models\//, '') ?? null;

const pictureModel = /imagen|image/;

/** Without `sampleCount`, four pictures are made. */
function tellPictures(body: JsonObject, model: string | null): Partial<Usage> {
  if (!pictureModel.test(model ?? '')) return {};
  return { outputImages: (readNumber(asObject(body.parameters).sampleCount) || 4) * asArray(body.instances).length };
}

function tellVideo(body: JsonObject): Partial<Usage> {
  const { durationSeconds, sampleCount } = asObject(body.parameters);
  const videos = (readNumber(sampleCount) || 1) * asArray(body.instances).length;
  return { outputVideoSeconds: Math.min((readNumber(durationSeconds) || 8) * videos, maxTokens) };
}

/** The price of a second follows the resolution, and at Vertex AI the lack of sound. */
function readVideoTier(body: JsonObject): string | null {
  const { resolution, generateAudio } = asObject(body.parameters);
  const [size = '720p'] = /^\d{1,4}[pk]$/.exec(asText(resolution)?.toLowerCase() ?? '') ?? [];
  const tiers = [size === '720p' ? [] : size, generateAudio === false ? 'silent' : []].flat();
  return tiers.join('+') || null;
}

const sounds = ({ mimeType }: JsonObject) => /^(?:audio|video)\//.test(asText(mimeType) ?? '');

const predictionTable = tableFigures({ inputCharacters: 'billableCharacterCount' });

/** Pictures that came, and the input of embeddings; what was filtered is not billed. */
function readPredictions({ predictions, metadata }: JsonObject): Partial<AnswerReading> {
  const all = asArray(predictions).map(asObject);
  const outputImages = all.filter((each) => (each.bytesBase64Encoded || each.gcsUri) && !sounds(each)).length;
  const counts = all.map(({ embeddings }) => asObject(asObject(embeddings).statistics).token_count);
  const promptTokens = counts.reduce<number>((sum, count) => sum + (readCount(count) ?? 0), 0);
  const { counts: told, notes } = readFigures(metadata, predictionTable);
  const { unread } = notes;
  if (outputImages + promptTokens > 0) return { usage: makeUsage({ ...told, outputImages, promptTokens }), unread };
  const isFiltered = all.length > 0 && all.every(({ raiFilteredReason }) => asText(raiFilteredReason) !== null);
  return { isUnbilled: isFiltered, unread };
}

/** Pictures, videos and embeddings that are asked for by `instances`, with the model in the path. */
export function describePredictions(findModel: (path: string) => string | null): Operation[] {
  const describeOne = (
    name: OperationName,
    tell: (body: JsonObject, model: string | null) => Pick<RequestReading, 'toldUsage' | 'priceTier'>,
    readFigures: (answer: JsonObject) => Partial<AnswerReading>,
  ) => ({
    ...describe(name, readFigures, (body, path) => {
      const requestedModel = findModel(path);
      return { requestedModel, ...tell(body, requestedModel), inputText: () => collectText(body.instances) };
    }),
    known: members.predict,
    ...(name === 'predictLongRunning' && { stores: 'a video' }),
  });
  return [
    describeOne('predict', (body, model) => ({ toldUsage: tellPictures(body, model) }), readPredictions),
    describeOne(
      'predictLongRunning',
      (body) => ({ toldUsage: tellVideo(body), priceTier: readVideoTier(body) }),
      () => ({}),
    ),
  ];
}

const hourMs = 3_600_000;

/** How long a cache is kept, from its answer. */
function readHours({ expireTime, updateTime, createTime }: JsonObject): number {
  const ms = Date.parse(asText(expireTime) ?? '') - Date.parse(asText(updateTime ?? createTime) ?? '');
  return ms > 0 ? ms / hourMs : 0;
}

/** Its tokens are of all kinds together. */
const cacheTable = tableFigures({
  tokens: 'totalTokenCount',
  nothing: 'textCount imageCount videoDurationSeconds audioDurationSeconds',
});

/** A cache costs its input once, and its storage each time that its end is set. */
const describeCache = (name: OperationName, isNew: boolean): Operation => ({
  ...(isNew ? { readTools, listModels, known: members.cachedContents } : { runsModel: false }),
  stores: 'a cache',
  ...describe(
    name,
    (answer) => {
      const { counts, notes } = readFigures(answer.usageMetadata, cacheTable);
      const tokens = counts.tokens || 0;
      const stored = Math.round(tokens * readHours(answer));
      const usage = { promptTokens: isNew ? tokens : 0, storedTokenHours: Math.min(stored, maxTokens) };
      return { model: toModel(answer.model), usage: tokens ? makeUsage(usage) : null, unread: notes.unread };
    },
    (body, _path, size) => ({
      requestedModel: toModel(body.model),
      toldUsage: { storedTokenHours: Math.round((size / 4) * ((readNumber(body.ttl) ?? 3_600) / 3_600)) },
      inputText: () => collectText(body.systemInstruction, body.contents, body.tools),
    }),
  ),
});

/** Vertex AI's batches take their requests from a store and put the results into one. */
const batchPrediction: Operation = {
  ...describe(
    'batchPredictionJobs',
    () => ({}),
    ({ model }) => ({ requestedModel: toModel(model) }),
  ),
  known: members.batchPrediction,
  isFree: true,
  isBilledLater: true,
  stores: 'a batch',
  listCalls: () => null,
  bounds: { members: {}, writes: 'nothing' },
};

/** Finds jobs and caches, which are no verb of a model. */
export const matchResource = makeMatcher(
  [describeCache('cachedContents.create', true), describeCache('cachedContents.update', false), batchPrediction],
  String.raw`^/v1(?:alpha|beta)?\d*/(?:projects/.+/)?`,
);
