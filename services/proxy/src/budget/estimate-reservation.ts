import { makeUsage } from '@agp/core/pricing';
import type { ProxyContext } from '../context.ts';
import type { Body, Head } from '../journey.ts';

/** Bytes of a request for each token that it is taken to have: about right for English and code. */
const bytesPerToken = 4;

/** An image makes a body large, and few tokens: beyond this no model reads on anyway. */
const maxPromptTokens = 200_000;

/** More than any model writes in one answer (128 thousand is the most in use). */
const largestOutput = 131_072;

/**
 * What a request may cost at most, as far as can be told before it runs, in whole nano-dollars: its input by size, its
 * output by the bound that the caller set, or by `BUDGET_DEFAULT_OUTPUT_TOKENS`. With `BUDGET=strict` it is a true upper
 * bound: a token has at least one byte, and no model writes more than it can. What has no known price is taken to cost
 * `BUDGET_UNPRICED_USD`.
 */
export function estimateReservation(context: ProxyContext, head: Head, body: Body): number {
  const { config } = context;
  const { operation, provider } = head;
  const unpricedNano = Math.round(config.budgetUnpricedUsd * 1e9);
  if (operation === null) return head.hasBody ? unpricedNano : 0;
  if (operation.isFree || !body.inspected) return 0;
  const { bytes, requestedModel, maxOutputTokens, answers, toldUsage } = body.inspected;
  const isStrict = config.budget === 'strict';
  const promptTokens = isStrict
    ? bytes.length
    : Math.min(Math.ceil(bytes.length / bytesPerToken), maxPromptTokens) + (toldUsage.promptTokens ?? 0);
  const outputTokens = maxOutputTokens ?? (isStrict ? largestOutput : config.budgetDefaultOutputTokens);
  const { priced, costNanoUsd } = context.priceUsage({
    provider: provider.id,
    api: operation.api,
    baseUrl: provider.baseUrl.href,
    model: requestedModel ?? 'unknown',
    usage: makeUsage({ ...toldUsage, promptTokens, completionTokens: answers * outputTokens }),
    at: new Date(head.timestamp),
    serviceTier: null,
  });
  return priced ? costNanoUsd : unpricedNano;
}
