import { ApiError } from '@agp/core/errors';
import type { InspectedBody } from '@agp/metering';
import { makeUsage, maxTokens } from '@agp/pricing';
import type { ProxyContext } from '../context.ts';
import type { Body, Head } from '../journey.ts';
import { boundReservation } from './bound-reservation.ts';

/** Bytes of a request for each token that it is taken to have: about right for English and code. */
const bytesPerToken = 4;

/** An image makes a body large, and few tokens: beyond this no model reads on anyway. */
const maxPromptTokens = 200_000;

/**
 * What a request reserves, in whole nano-dollars. With `BUDGET=strict` that is the most that it may cost; where no cap is
 * to be held, what has no bound may pass all the same.
 *
 * @param isCapped a cap that refuses holds for it
 * @throws ApiError `cost_not_bounded`
 */
export function computeReservation(context: ProxyContext, head: Head, body: Body, isCapped: boolean): number {
  if (context.config.budget !== 'strict') return estimateReservation(context, head, body);
  try {
    return boundReservation(context, head, body);
  } catch (error) {
    if (isCapped || !(error instanceof ApiError)) throw error;
    return estimateReservation(context, head, body);
  }
}

/**
 * What a request will probably cost at most, in whole nano-dollars: its input by size, its output by the largest bound
 * that the caller set, or by `BUDGET_DEFAULT_OUTPUT_TOKENS`. What has no known price is taken to cost
 * `BUDGET_UNPRICED_USD`, and what cannot be read at least that.
 */
function estimateReservation(context: ProxyContext, head: Head, body: Body): number {
  const unpricedNano = Math.round(context.config.budgetUnpricedUsd * 1e9);
  const { operation } = head;
  if (operation === null) return head.hasBody ? unpricedNano : 0;
  if (operation.isFree) return 0;
  if (!body.inspected) return head.method === 'POST' ? unpricedNano : 0;
  const { models, isExact } = body.inspected;
  // Whichever of the models answers: the dearest of them.
  const costs = models.map((model) => priceModel(context, head, body.inspected as InspectedBody, model));
  const least = models.length === 0 || !isExact || costs.includes(null) ? unpricedNano : 0;
  return Math.max(least, ...costs.map((cost) => cost ?? 0));
}

/** What the request costs if this model answers; null where its price is not known. */
function priceModel({ config, priceUsage }: ProxyContext, head: Head, asked: InspectedBody, model: string) {
  const { bytes, maxOutputTokens, leastOutputTokens, answers, toldUsage } = asked;
  const { provider, operation, timestamp } = head;
  const promptTokens = Math.min(Math.ceil(bytes.length / bytesPerToken), maxPromptTokens);
  const outputTokens = maxOutputTokens ?? Math.max(config.budgetDefaultOutputTokens, leastOutputTokens);
  const { priced, costNanoUsd } = priceUsage({
    provider: provider.id,
    api: operation?.api ?? provider.api,
    baseUrl: provider.baseUrl.href,
    model,
    usage: makeUsage({
      ...toldUsage,
      promptTokens: promptTokens + (toldUsage.promptTokens ?? 0),
      completionTokens: Math.min(Math.max(answers * outputTokens, toldUsage.completionTokens ?? 0), maxTokens),
      ...(toldUsage.outputImages !== undefined && { outputImages: Math.min(answers, maxImages) }),
    }),
    at: new Date(timestamp),
    serviceTier: null,
  });
  return priced ? costNanoUsd : null;
}

/** More than any request makes; a count above it would be taken for an error. */
const maxImages = 100_000;
