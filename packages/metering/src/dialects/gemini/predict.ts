import { makeUsage, maxTokens, readCount, type Usage } from '@agp/pricing';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { collectText } from '../../text/strings.ts';
import type { AnswerReading, Operation } from '../operation.ts';
import { ContentStreamReader } from './stream.ts';

type Described = Pick<Operation, 'name' | 'readRequest'> & Partial<Operation>;

function describe(described: Described, readFigures: (answer: JsonObject) => Partial<AnswerReading>): Operation {
  return {
    api: 'gemini',
    usageNeedsAsking: false,
    answerFormat: 'object',
    isFree: false,
    writesText: false,
    createStreamReader: () => new ContentStreamReader(),
    readAnswer: (body) => ({
      model: null,
      usage: null,
      serviceTier: null,
      outputText: () => ({ parts: [], whole: true }),
      ...readFigures(asObject(body)),
    }),
    ...described,
  };
}

/** A number, also as text: `8`, `"8"`, `"8s"`. */
const readNumber = (value: unknown): number | null => readCount(Number.parseFloat(String(value)));

const toModel = (name: unknown) => asText(name)?.replace(/^.*models\//, '') ?? null;

type FindModel = (path: string) => string | null;

const pictureModel = /imagen|image/;

/** Of pictures four are made if none says how many. */
function tellPictures(body: JsonObject, model: string | null): Partial<Usage> {
  if (!pictureModel.test(model ?? '')) return {};
  return { outputImages: (readNumber(asObject(body.parameters).sampleCount) ?? 4) * asArray(body.instances).length };
}

function tellVideo(body: JsonObject): Partial<Usage> {
  const { durationSeconds, sampleCount } = asObject(body.parameters);
  const videos = (readNumber(sampleCount) ?? 1) * asArray(body.instances).length;
  return { outputVideoSeconds: Math.min((readNumber(durationSeconds) ?? 8) * videos, maxTokens) };
}

/** The price of a second follows the resolution, and at Vertex AI the lack of sound. */
function readVideoTier(body: JsonObject): string | null {
  const { resolution, generateAudio } = asObject(body.parameters);
  const size = asText(resolution)?.toLowerCase();
  const tiers = [...(size && size !== '720p' ? [size] : []), ...(generateAudio === false ? ['silent'] : [])];
  return tiers.join('+') || null;
}

const sounds = ({ mimeType }: JsonObject) => /^(?:audio|video)\//.test(asText(mimeType) ?? '');

/** Pictures that came, and the input of embeddings; what was filtered is not billed. */
function readPredictions({ predictions, metadata }: JsonObject): Partial<AnswerReading> {
  const all = asArray(predictions).map(asObject);
  const outputImages = all.filter((each) => (each.bytesBase64Encoded || each.gcsUri) && !sounds(each)).length;
  const counts = all.map(({ embeddings }) => asObject(asObject(embeddings).statistics).token_count);
  const promptTokens = counts.reduce<number>((sum, count) => sum + (readCount(count) ?? 0), 0);
  const inputCharacters = asObject(metadata).billableCharacterCount;
  if (outputImages + promptTokens > 0) return { usage: makeUsage({ outputImages, promptTokens, inputCharacters }) };
  const isFiltered = all.length > 0 && all.every(({ raiFilteredReason }) => asText(raiFilteredReason) !== null);
  return { isUnbilled: isFiltered };
}

/** Pictures, videos and embeddings that are asked for by `instances`, with the model in the path. */
export function describePredictions(findModel: FindModel): Record<'predict' | 'predictLongRunning', Operation> {
  const inputText = (body: JsonObject) => () => collectText(body.instances);
  return {
    predict: describe(
      {
        name: 'predict',
        readRequest(value, path) {
          const [body, requestedModel] = [asObject(value), findModel(path)];
          const toldUsage = tellPictures(body, requestedModel);
          return { requestedModel, stream: false, toldUsage, inputText: inputText(body) };
        },
      },
      readPredictions,
    ),
    predictLongRunning: describe(
      {
        name: 'predictLongRunning',
        readRequest(value, path) {
          const body = asObject(value);
          return {
            requestedModel: findModel(path),
            stream: false,
            toldUsage: tellVideo(body),
            priceTier: readVideoTier(body),
            inputText: inputText(body),
          };
        },
      },
      () => ({}),
    ),
  };
}

const hourMs = 3_600_000;

/** How long a cache is kept, from its answer. */
function readHours({ expireTime, updateTime, createTime }: JsonObject): number {
  const ms = Date.parse(String(expireTime)) - Date.parse(String(updateTime ?? createTime));
  return ms > 0 ? ms / hourMs : 0;
}

/** A cache costs its input once, and its storage each time that its end is set. */
function describeCache(name: string, isNew: boolean): Operation {
  return describe(
    {
      name,
      readRequest(value, _path, size = 0) {
        const body = asObject(value);
        const hours = (readNumber(body.ttl) ?? 3_600) / 3_600;
        return {
          requestedModel: toModel(body.model),
          stream: false,
          toldUsage: { storedTokenHours: Math.round((size / 4) * hours) },
          inputText: () => collectText(body.systemInstruction, body.contents, body.tools),
        };
      },
    },
    (answer) => {
      const tokens = readCount(asObject(answer.usageMetadata).totalTokenCount);
      const stored = Math.round((tokens ?? 0) * readHours(answer));
      const usage = { promptTokens: isNew ? tokens : 0, storedTokenHours: Math.min(stored, maxTokens) };
      return { model: toModel(answer.model), usage: tokens ? makeUsage(usage) : null };
    },
  );
}

/** Vertex AI's batches take their requests from a store and put the results into one. */
const batchPrediction = describe(
  {
    name: 'batchPredictionJobs',
    isFree: true,
    isBilledLater: true,
    bounds: { members: {}, writes: 'nothing' },
    readRequest: (value) => ({
      requestedModel: toModel(asObject(value).model),
      stream: false,
      toldUsage: {},
      inputText: () => ({ parts: [], whole: true }),
    }),
  },
  () => ({}),
);

const place = String.raw`^\/v1(?:alpha|beta)?\d*\/(?:projects\/.+\/)?`;

/** Jobs and caches, which are no verb of a model. */
export const resources: readonly (readonly [RegExp, Operation])[] = [
  [new RegExp(`${place}cachedContents$`), describeCache('cachedContents.create', true)],
  [new RegExp(`${place}cachedContents/[^/:]+$`), describeCache('cachedContents.update', false)],
  [new RegExp(`${place}batchPredictionJobs$`), batchPrediction],
];
