import { makeUsage, maxTokens } from '@agp/catalogue';
import { type CallHead, listTiers, nameModel } from '../call-head.ts';
import { guessCost, type MeteringParts, unpricedNanoUsd } from '../metering-parts.ts';
import { type InspectedBody, inspectBody } from '../request/inspect-body.ts';
import { boundReservation } from './bound-reservation.ts';

/** Bytes of a request for each token that it is taken to have: about right for English and code. */
const bytesPerToken = 4;

/** What an answer without a bound is taken to have. */
const defaultOutputTokens = 4_096;

/** An image makes a body large, and few tokens: beyond this no model reads on anyway. */
const maxPromptTokens = 200_000;

/**
 * The highest likely cost in whole nano-dollars: input by size, output by the caller's largest bound, else
 * {@link defaultOutputTokens}. Without a readable body at least `unpricedNanoUsd`, without a known price that by size.
 */
function estimateReservation(parts: MeteringParts, head: CallHead, body: InspectedBody | null): number {
  if (head.operation === null) return head.hasBody ? unpricedNanoUsd : 0;
  if (head.operation.isFree) return body?.startsUnseen ? unpricedNanoUsd : 0;
  if (!body) return head.method === 'POST' ? unpricedNanoUsd : 0;
  const costs = body.models.map((model) => priceModel(parts, head, body, model));
  const least = costs.length === 0 || !body.isExact ? unpricedNanoUsd : 0;
  return Math.max(least, ...costs);
}

function priceModel(parts: MeteringParts, head: CallHead, asked: InspectedBody, model: string): number {
  const { bytes, maxOutputTokens, leastOutputTokens, answers, toldUsage } = asked;
  const promptTokens = Math.min(Math.ceil(bytes.length / bytesPerToken), maxPromptTokens);
  const outputTokens = maxOutputTokens ?? Math.max(defaultOutputTokens, leastOutputTokens);
  const usage = makeUsage({
    ...toldUsage,
    promptTokens: promptTokens + (toldUsage.promptTokens ?? 0),
    completionTokens: Math.min(Math.max(answers * outputTokens, toldUsage.completionTokens ?? 0), maxTokens),
    ...(toldUsage.outputImages !== undefined && { outputImages: Math.max(answers, toldUsage.outputImages) }),
  });
  const serviceTier = listTiers(head, asked).join('+');
  const { priced, costNanoUsd } = parts.priceUsage({ ...nameModel(head, model), usage, serviceTier });
  return priced ? costNanoUsd : guessCost(usage);
}

export function computeReservation(
  parts: MeteringParts,
  head: CallHead,
  body: InspectedBody | null,
  mayRefuse: boolean,
): number {
  // It only shows what is done.
  if (head.operation?.billedOnce) return 0;
  if (!parts.isStrict || !mayRefuse) return estimateReservation(parts, head, body);
  return boundReservation(parts, head, bounded(head, body));
}

/** The cap may have been set after the body was read. */
function bounded(head: CallHead, body: InspectedBody | null): InspectedBody | null {
  if (body === null || head.operation === null || head.operation.isFree || body.strict !== null) return body;
  return inspectBody(head.operation, head, body.bytes, body.form, { mustTell: false, mustBound: true });
}
