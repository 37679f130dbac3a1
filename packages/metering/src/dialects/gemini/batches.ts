import { asArray, asObject, asText, type JsonObject } from '../../json/members.ts';
import { readWriting } from '../../text/stream-text.ts';
import { joinUnread } from '../figures.ts';
import { listBill, maxReportedCalls, type Operation, type ReportedCall, sumCalls } from '../operation.ts';
import { readContent } from './text.ts';
import { readContentFigures } from './usage.ts';

export const batchTarget = /\/batches\/([^/:]+)\/?$/;

export const batchListTarget = /\/batches\/?$/;

/** A list, or an object that has it. */
export const listInlined = ({ inlinedResponses: list }: JsonObject): readonly unknown[] =>
  asArray(Array.isArray(list) ? list : asObject(list).inlinedResponses);

/** The answers of a finished batch, from its result, or its metadata, which SDKs read. */
function findAnswers(body: unknown): unknown[] {
  const { response, metadata } = asObject(body);
  const told = [response, asObject(metadata).output].map((each) => listInlined(asObject(each)));
  return (told.find((list) => list.length > 0) ?? []).map((item) => asObject(item).response);
}

const batchModel = (body: unknown) =>
  asText(asObject(asObject(body).metadata).model)?.replace(/^.*models\//, '') ?? null;

export function describeBatchResults(operation: Operation): Operation {
  return {
    ...operation,
    name: 'batches.get',
    answerFormat: 'object',
    billedOnce: (path) => batchTarget.exec(path)?.[1] ?? null,
    readAnswer(body) {
      const model = batchModel(body);
      let unread: readonly string[] | undefined;
      const calls = findAnswers(body)
        .slice(0, maxReportedCalls)
        .flatMap((answer): ReportedCall[] => {
          const { usage, model: answered, isUnbilled, unread: notRead } = readContentFigures(answer);
          unread = joinUnread(unread, notRead);
          return usage === null || isUnbilled ? [] : [{ model: answered ?? model, usage }];
        });
      return {
        model: model ?? calls[0]?.model ?? null,
        serviceTier: 'batch',
        ...sumCalls(calls),
        ...(calls.length > 0 && { calls }),
        ...(calls.length === 0 && findAnswers(body).some(Boolean) && { isUntold: true }),
        unread,
        outputText: () =>
          readWriting(body, (_body, write) => {
            for (const answer of findAnswers(body)) readContent(answer, write);
          }),
      };
    },
  };
}

export function describeBatchList(results: Operation): Operation {
  const { billedOnce: _, ...described } = results;
  const findBatches = (body: unknown) => asArray(asObject(body).operations);
  return {
    ...described,
    name: 'batches.list',
    showsOtherBills: true,
    readAnswer(body) {
      const bills = findBatches(body).flatMap((batch) => {
        const id = asText(asObject(batch).name)?.split('/').at(-1);
        return listBill(id, results.readAnswer(batch).calls);
      });
      const calls = bills.flatMap((bill) => bill.calls).slice(0, maxReportedCalls);
      return {
        model: null,
        serviceTier: 'batch',
        ...sumCalls(calls),
        ...(calls.length > 0 && { calls, bills }),
        outputText: () =>
          readWriting(body, (_body, write) => {
            for (const batch of findBatches(body)) for (const answer of findAnswers(batch)) readContent(answer, write);
          }),
      };
    },
  };
}
