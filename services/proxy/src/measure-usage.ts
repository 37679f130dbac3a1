import { setImmediate } from 'node:timers/promises';
import { fromPublicId } from '@agp/core/ids';
import { makeUsage, type Usage } from '@agp/core/pricing';
import type { ProxyContext } from './context.ts';
import { toHolder } from './fairness/index.ts';
import { type AdmittedRequest, type Answer, type Metering, unmetered } from './journey.ts';
import { priceUnknownPath } from './price-unknown-path.ts';
import type { Operation, ReportedCall } from './providers/index.ts';
import type { CallTexts } from './scan-request.ts';
import { storageWaitMs } from './storage.ts';
import type { ResponseReading } from './stream/index.ts';

type Measured = Omit<Metering, 'outcome' | 'piiTypes' | 'piiScan'>;

/**
 * What a call used and cost. The provider's own figures count; what a call that costs money gave no figures for, or was
 * cut before it did, is estimated from what was sent and what was streamed until then.
 */
export async function measureUsage(
  context: ProxyContext,
  request: AdmittedRequest,
  answer: Answer,
  reading: ResponseReading | null,
  texts: CallTexts,
): Promise<Measured> {
  const { head, body } = request;
  const { operation } = head;
  const requestedModel = body.inspected?.requestedModel ?? null;
  const answeredModel = reading?.model ?? null;
  const model = answeredModel ?? requestedModel;
  const { piiTypes: _types, piiScan: _scan, ...nothing } = unmetered;
  const unmeasured = { ...nothing, model, answeredModel, requestedModel };
  const succeeded = answer.status !== null && answer.status >= 200 && answer.status < 300;
  if (operation === null) return { ...unmeasured, ...priceUnknownPath(context, request, answer) };
  if (!reading || operation.isFree) return unmeasured;
  if (reading.usage === null && (!succeeded || reading.isError)) return unmeasured;
  if (!(await isBilledHere(context, request, operation, answer, reading))) return unmeasured;

  const told = reading.usage && reading.usageIsFinal && isCounted(reading.usage, texts) ? reading.usage : null;
  const isTold = told !== null;
  const usage = told ?? (await estimate(context, request, model, reading, texts));
  const calls = (isTold ? reading.calls : null) ?? [{ model, usage }];
  return {
    ...unmeasured,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    ...(await priceCalls(context, request, operation, calls, model, reading.serviceTier)),
    usageSource: isTold ? 'provider' : 'estimated',
  };
}

/**
 * Servers that do not count say 0, or leave a figure out: a call that is counted in tokens has some of input, and some of
 * output where text was written.
 */
function isCounted(usage: Usage, { answer }: CallTexts): boolean {
  const { promptTokens, completionTokens, ...others } = usage;
  if (promptTokens + completionTokens === 0) return Object.values(others).some((count) => count > 0);
  const wroteText = answer !== null && 'parts' in answer && answer.parts.some((part) => part.trim() !== '');
  return promptTokens > 0 && (completionTokens > 0 || !wroteText || usage.inputAudioSeconds > 0);
}

/**
 * What can be fetched again and again is billed by the event that fetched it whole for the first time: neither a range of
 * it nor what could be read in part only, which would settle the bill for all of it.
 */
async function isBilledHere(
  context: ProxyContext,
  { head }: AdmittedRequest,
  operation: Operation,
  answer: Answer,
  reading: ResponseReading,
): Promise<boolean> {
  const bill = operation.billedOnce?.(head.path) ?? null;
  if (bill === null) return true;
  const isWhole = answer.outcome === 'completed' && answer.status === 200 && reading.inspected;
  if (!isWhole || reading.usage === null) return false;
  const eventId = fromPublicId('evt', head.eventId) ?? '';
  try {
    return await context.storage.claimBill(
      { provider: head.provider.id, bill, eventId },
      performance.now() + storageWaitMs,
    );
  } catch {
    // Nobody knows. A cost that is counted twice is noticed sooner than one that is missing.
    return true;
  }
}

/** A batch has up to 100,000 calls: others have their turn after this many, which take a few milliseconds. */
const maxPricedAtOnce = 1_000;

async function priceCalls(
  context: ProxyContext,
  { head }: AdmittedRequest,
  { api }: Operation,
  calls: readonly ReportedCall[],
  answered: string | null,
  serviceTier: string | null,
): Promise<Pick<Measured, 'costNanoUsd' | 'priceVersion'>> {
  const { provider } = head;
  let costNanoUsd = 0;
  let priceVersion: string | null = null;
  const unpriced = new Set<string | null>();
  for (const [index, { model, usage }] of calls.entries()) {
    if (index > 0 && index % maxPricedAtOnce === 0) await setImmediate();
    const priced = model ?? answered;
    const price = context.priceUsage({
      provider: provider.id,
      api,
      baseUrl: provider.baseUrl.href,
      model: priced ?? 'unknown',
      usage,
      at: new Date(head.timestamp),
      serviceTier,
    });
    costNanoUsd = Math.min(costNanoUsd + price.costNanoUsd, Number.MAX_SAFE_INTEGER);
    priceVersion ??= price.priceVersion;
    if (!price.priced) unpriced.add(priced);
  }
  for (const name of unpriced) context.reportUnpriced(provider.id, name);
  return { costNanoUsd, priceVersion };
}

/** The provider's figures as far as they go: a stream that was cut may have told its input and not its output. */
async function estimate(
  context: ProxyContext,
  { head, agent, body }: AdmittedRequest,
  model: string | null,
  reading: ResponseReading,
  texts: CallTexts,
): Promise<Usage> {
  const holder = toHolder(agent, head);
  const count = (text: CallTexts['request']) => (text ? context.estimator.countTokens(text, model ?? '', holder) : 0);
  const told = body.inspected?.toldUsage;
  const [promptTokens, writtenTokens] = await Promise.all([
    reading.usage?.promptTokens || count(texts.request),
    count(reading.uncountedText?.() ?? texts.answer),
  ]);
  const toldTokens = reading.usage?.completionTokens ?? told?.completionTokens ?? 0;
  // Gemini tells its thoughts while the answer goes on; they are no part of the text.
  const completionTokens = Math.max(toldTokens, writtenTokens + (reading.usage?.reasoningTokens ?? 0));
  return makeUsage({
    ...told,
    ...reading.usage,
    promptTokens: promptTokens + (reading.usage?.promptTokens ? 0 : (told?.promptTokens ?? 0)),
    completionTokens,
  });
}
