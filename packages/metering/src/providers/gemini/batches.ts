import { asArray, asObject, asText } from '../../json/json-shapes.ts';
import { maxReportedCalls, type Operation, type ReportedCall } from '../operation.ts';
import { readWriting } from '../stream-text.ts';
import { sumCalls } from '../sum-usage.ts';
import { readContent } from './output-text.ts';
import { readContentFigures } from './usage.ts';

/** `.../batches/{id}`: a batch's state, and its results once it is done, where its requests were given inline. */
export const batchTarget = /\/batches\/([^/:]+)\/?$/;

/** The answers in a batch that is done. They stand in its result, and where SDKs look for them in its metadata. */
function findAnswers(body: unknown): unknown[] {
  const { response, metadata } = asObject(body);
  const { inlinedResponses } = asObject(response ?? asObject(metadata).output);
  return asArray(asObject(inlinedResponses).inlinedResponses).map((item) => asObject(item).response);
}

/** The batch tells its model as a path, and so does each answer by its bare name. */
const batchModel = (body: unknown) =>
  asText(asObject(asObject(body).metadata).model)?.replace(/^.*models\//, '') ?? null;

/** Reads what `operation`, the call of a model, asks for many times over and half the price. */
export function describeBatchResults(operation: Operation): Operation {
  return {
    ...operation,
    name: 'batches.get',
    answerFormat: 'object',
    billedOnce: (path) => batchTarget.exec(path)?.[1] ?? null,
    readAnswer(body) {
      const model = batchModel(body);
      const calls = findAnswers(body)
        .slice(0, maxReportedCalls)
        .flatMap((answer): ReportedCall[] => {
          const { usage, model: answered } = readContentFigures(answer);
          return usage === null ? [] : [{ model: answered ?? model, usage }];
        });
      return {
        model: model ?? calls[0]?.model ?? null,
        serviceTier: 'batch',
        ...sumCalls(calls),
        ...(calls.length > 0 && { calls }),
        outputText: () =>
          readWriting(body, (_body, write) => {
            for (const answer of findAnswers(body)) readContent(answer, write);
          }),
      };
    },
  };
}
