import { makeUsage, type Usage } from '@agp/core/pricing';
import type { ProxyContext } from '../context.ts';
import type { AdmittedRequest, Answer, Metering } from '../journey.ts';

/**
 * Reads the call's usage and prices it. The provider's own figures count; where a call that costs money gave none, or
 * was cut before it did, they are estimated from what was sent and what was streamed until then.
 */
export async function meter(context: ProxyContext, { head, body }: AdmittedRequest, answer: Answer): Promise<Metering> {
  const reading = answer.tap ? await answer.tap.end() : null;
  const requestedModel = body.inspected?.reading?.requestedModel ?? null;
  const model = reading?.model ?? requestedModel;
  const nothing = { model, requestedModel, promptTokens: 0, completionTokens: 0, costNanoUsd: 0, priceVersion: null };
  const answered = answer.status !== null && answer.status >= 200 && answer.status < 300;
  if (reading === null || (!answered && reading.usage === null)) return { ...nothing, usageSource: 'none' };

  let usage = reading.usage;
  const usageSource = usage === null ? 'estimated' : 'provider';
  usage ??= await estimateUsage(context, model, body.inspected?.reading?.inputText() ?? '', reading.outputText());
  const price = context.priceUsage({
    provider: head.provider.id,
    api: head.provider.api,
    baseUrl: head.provider.baseUrl.href,
    model: model ?? 'unknown',
    usage,
    at: new Date(head.timestamp),
  });
  if (!price.priced) context.metrics.unpriced.inc({ provider: head.provider.id });
  return {
    model,
    requestedModel,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    costNanoUsd: price.costNanoUsd,
    usageSource,
    priceVersion: price.priceVersion,
  };
}

async function estimateUsage(
  context: ProxyContext,
  model: string | null,
  input: string,
  output: string,
): Promise<Usage> {
  const [promptTokens, completionTokens] = await Promise.all([
    context.estimator.countTokens(input, model ?? ''),
    context.estimator.countTokens(output, model ?? ''),
  ]);
  return makeUsage({ promptTokens, completionTokens });
}
