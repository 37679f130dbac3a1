import { readCount } from '@agp/catalogue';
import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { isRunning, listBill, maxReportedCalls, type Operation, type ReportedCall, sumCalls } from '../operation.ts';
import { pathOf } from '../paths.ts';
import { describeOperation, type Figures } from './describe-operation.ts';
import { readPictureFigures } from './media.ts';
import { noOutput } from './stream.ts';
import { readTokenUsage, readUsageFigures } from './usage.ts';

/** Anthropic and Gemini have batches of their own. Mistral says `batch/jobs`. */
const place = pathOf('batches', String.raw`(?<!\/messages|^\/v1(?:alpha|beta)\d*)\/`);
const listTarget = new RegExp(`${place}/?$`);
const oneTarget = new RegExp(`${place}/([^/:]+)(?:/cancel)?/?$`);

/** Requests that were served: as OpenAI, Mistral and xAI count them. */
const countServed = ({ request_counts: counts, succeeded_requests: succeeded, state }: JsonObject): number | null =>
  readCount(asObject(counts).completed ?? succeeded ?? asObject(state).num_success);

/** If it does not tell how many there were, its requests are taken to be short. */
const shortRequest = 1_000;

/** What its results used, as far as they are shown: Mistral's may stand in the batch itself. */
function readInline({ model, outputs }: JsonObject): ReportedCall[] {
  return asArray(outputs)
    .slice(0, maxReportedCalls)
    .flatMap((output) => {
      const answer = asObject(asObject(asObject(output).response).body);
      const usage = readTokenUsage(answer.usage);
      return usage ? [{ model: asText(answer.model) ?? asText(model), usage }] : [];
    });
}

const serviceTier = 'batch';

/** Figures count once it is done, also if it was cancelled or expired in part. */
function readBatchFigures(body: unknown): Figures {
  const batch = asObject(body);
  if (isRunning(batch.status) || (readCount(asObject(batch.state).num_pending) ?? 0) > 0)
    return { usage: null, serviceTier };
  const served = countServed(batch);
  const isOfImages = /\/images\//.test(asText(batch.endpoint) ?? '');
  const { usage: told, ...notes } = (isOfImages ? readPictureFigures : readUsageFigures)(batch.usage);
  const isUsed = told !== null && told.promptTokens + told.completionTokens > 0;
  const requests = served || Math.max(1, Math.ceil((told?.promptTokens ?? 0) / shortRequest));
  const calls = isUsed ? [{ model: asText(batch.model), usage: told, requests }] : readInline(batch);
  const isServed = served === null ? /^(?:completed|success)$/i.test(asText(batch.status) ?? '') : served > 0;
  return calls.length > 0
    ? { ...sumCalls(calls), calls, serviceTier, ...notes }
    : { usage: null, isUntold: isServed, serviceTier, ...notes };
}

const described = { ...noOutput, input: ['requests'] };

const createBatch = describeOperation({
  ...described,
  name: 'batches',
  isFree: true,
  isBilledLater: true,
  stores: 'a batch',
  // A file, or another provider's form of lines.
  listCalls: () => null,
  readFigures: () => ({ usage: null }),
});

const getBatch: Operation = {
  ...describeOperation({ ...described, name: 'batches.get', readFigures: readBatchFigures }),
  runsModel: false,
  billedOnce: (path) => oneTarget.exec(path)?.[1] ?? null,
};

function readListFigures(body: unknown): Figures {
  const bills = asArray(asObject(body).data).flatMap((batch) =>
    listBill(asObject(batch).id, readBatchFigures(batch).calls),
  );
  const calls = bills.flatMap((bill) => bill.calls);
  return { ...sumCalls(calls), calls, bills, serviceTier };
}

const listBatches: Operation = {
  ...describeOperation({ ...described, name: 'batches.list', readFigures: readListFigures }),
  showsOtherBills: true,
};

/** The operation on batches at a path; null if it is of none. */
export function matchBatches(path: string, method: 'GET' | 'POST'): Operation | null {
  if (listTarget.test(path)) return method === 'POST' ? createBatch : listBatches;
  return oneTarget.test(path) && (method === 'POST') === /\/cancel\/?$/.test(path) ? getBatch : null;
}
