import { makeUsage, type Usage } from '@agp/core/pricing';
import type { ProxyContext } from '../context.ts';
import { type AdmittedRequest, type Answer, type Metering, unmetered } from '../journey.ts';
import type { ResponseReading } from '../stream/index.ts';

/**
 * Reads the call's usage and prices it. The provider's own figures count; what a call that costs money gave no figures
 * for, or was cut before it did, is estimated from what was sent and what was streamed until then.
 */
export async function meter(context: ProxyContext, request: AdmittedRequest, answer: Answer): Promise<Metering> {
  const { head, body } = request;
  const reading = answer.tap ? await answer.tap.end() : null;
  const requestedModel = body.inspected?.requestedModel ?? null;
  const model = reading?.model ?? requestedModel;
  const known = { model, requestedModel, outcome: judgeOutcome(answer, reading) };
  const succeeded = answer.status !== null && answer.status >= 200 && answer.status < 300;
  if (reading === null || (!succeeded && reading.usage === null)) return { ...unmetered, ...known };

  const usage =
    reading.usageIsFinal && reading.usage ? reading.usage : await estimate(context, request, model, reading);
  const price = context.priceUsage({
    provider: head.provider.id,
    api: head.operation?.api ?? head.provider.api,
    baseUrl: head.provider.baseUrl.href,
    model: model ?? 'unknown',
    usage,
    at: new Date(head.timestamp),
  });
  if (!price.priced) context.metrics.unpriced.inc({ provider: head.provider.id });
  return {
    ...known,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    costNanoUsd: price.costNanoUsd,
    usageSource: reading.usageIsFinal ? 'provider' : 'estimated',
    priceVersion: price.priceVersion,
  };
}

/**
 * A stream may report an error although all its bytes came; and SDKs hang up on a stream's last frame, so that a whole
 * answer may look as if the agent had left.
 */
function judgeOutcome({ outcome }: Answer, reading: ResponseReading | null): Answer['outcome'] {
  if (outcome === 'completed' && reading?.failed) return 'failed';
  return outcome === 'aborted' && reading?.sawEnd ? 'completed' : outcome;
}

/** The provider's figures as far as they go: a stream that was cut may have told its input and not its output. */
async function estimate(
  context: ProxyContext,
  { body }: AdmittedRequest,
  model: string | null,
  reading: ResponseReading,
): Promise<Usage> {
  const count = (text: string) => context.estimator.countTokens(text, model ?? '');
  const [promptTokens, completionTokens] = await Promise.all([
    reading.usage?.promptTokens ?? count(body.inspected?.inputText() ?? ''),
    count(reading.outputText()),
  ]);
  const told = reading.usage?.completionTokens ?? 0;
  return makeUsage({ ...reading.usage, promptTokens, completionTokens: Math.max(told, completionTokens) });
}
