import { makeUsage } from '@agp/catalogue';
import type { CallHead } from './call-head.ts';
import { maxReportedCalls } from './dialects/operation.ts';
import { asObject } from './json/members.ts';
import { readJson, toMembers } from './json/scan.ts';
import { guessCost } from './metering-parts.ts';
import { type InspectedBody, nothingKnown } from './request/inspect-body.ts';
import { readDemand } from './request/read-demand.ts';
import { toModelName } from './request/read-names.ts';

/** Bytes of a request for each token that it is taken to have: about right for English and code. */
export const bytesPerToken = 4;

/** What an answer without a bound is taken to have. */
export const defaultOutputTokens = 4_096;

/** What tells how much a call is likely to use. */
export interface Likely
  extends Pick<InspectedBody, 'media' | 'maxOutputTokens' | 'leastOutputTokens' | 'answers' | 'tiers' | 'toldUsage'> {
  bytes: { length: number };
  /** What its body asks for; absent for none. */
  guardrail?: InspectedBody['guardrail'];
}

/** Each kind of call is priced; no honest batch has so many. */
const maxKinds = 1_000;

/**
 * What the calls of a batch come to. Those that ask for the same are weighed once, as one of average size; null if it does not contain them,
 * or too many differ.
 */
export function sumBatch(
  head: CallHead,
  body: InspectedBody | null,
  weigh: (asked: Likely, model: string) => number,
): number | null {
  if (body === null || body.startsUnseen) return null;
  const { value, doubt } = readJson(body.bytes, 'whole');
  const calls = doubt === null ? (head.operation?.listCalls?.(asObject(value)) ?? []) : [];
  if (calls.length === 0 || calls.length > maxReportedCalls) return null;
  const size = { toldUsage: {}, media: null, bytes: { length: body.bytes.length / calls.length } };
  const bounds = head.operation?.batchedBounds ?? nothingKnown;
  const kinds = new Map<string, { asked: Likely; models: string[]; count: number }>();
  for (const call of calls) {
    const {
      maxOutputTokens,
      leastOutputTokens,
      answers,
      tiers,
      models: named,
    } = readDemand(toMembers(call), bounds, head.provider.baseUrl);
    const models = [...new Set([...named.map(toModelName), ...body.models])];
    const key = JSON.stringify([models, maxOutputTokens, leastOutputTokens, answers, tiers]);
    const kind = kinds.get(key);
    if (kind) kind.count += 1;
    else kinds.set(key, { asked: { maxOutputTokens, leastOutputTokens, answers, tiers, ...size }, models, count: 1 });
    if (kinds.size > maxKinds) return null;
  }
  return [...kinds.values()].reduce((sum, { asked, models, count }) => {
    const weights = (models.length === 0 ? ['unknown'] : models).map((model) => weigh(asked, model));
    return Math.min(sum + count * Math.max(...weights), Number.MAX_SAFE_INTEGER);
  }, 0);
}

/** Bytes: reading the calls of a larger one would hold others up. */
export const largestRead = 1_048_576;

/** As many calls as there are members that hold one, all of one size, of a model without a price. */
export function guessBatch(bytes: Buffer): number {
  let calls = 1;
  for (const member of ['"params"', '"request"'])
    for (let at = bytes.indexOf(member); at >= 0; at = bytes.indexOf(member, at + member.length)) calls += 1;
  const promptTokens = Math.ceil(bytes.length / calls / bytesPerToken);
  return calls * guessCost(makeUsage({ promptTokens, completionTokens: defaultOutputTokens }));
}
