import { setImmediate } from 'node:timers/promises';
import type { Operation, ResponseReading } from '@agp/metering';
import type { Usage } from '@agp/pricing';
import type { ProxyContext } from '../context.ts';
import { type AdmittedRequest, type Answer, type Doubt, type Metering, unmetered } from '../journey.ts';
import { type Bill, BillCalls } from './bill-calls.ts';
import { boundClaims } from './bound-claims.ts';
import { estimateUsage } from './estimate-usage.ts';
import { isBilledHere } from './is-billed-here.ts';
import { priceUnknownPath } from './price-unknown-path.ts';
import type { CallTexts } from './scan-request.ts';

type Measured = Omit<Metering, 'outcome' | 'piiTypes' | 'piiScan'>;

/**
 * What a call used and cost. The provider's own figures count, as far as the request allows them; what a call that costs
 * money gave no figures for, or was cut before it did, is estimated from what was sent and what was written until then. Under
 * a cap it then costs no less than it reserved: the provider may bill more than was seen, and the agent decides when it leaves.
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
  // Where the answer names no model, any that the request may mean can have made it.
  const models = answeredModel === null ? (body.inspected?.models ?? []) : [answeredModel];
  const { piiTypes: _types, piiScan: _scan, ...nothing } = unmetered;
  const unmeasured = { ...nothing, model, answeredModel, requestedModel };
  if (operation === null) return { ...unmeasured, ...priceUnknownPath(context, request, answer) };
  if (operation.isFree || !mayBeBilled(answer, reading)) return unmeasured;
  const billedOnce = operation.billedOnce?.(head.path) ?? null;
  const isFetched = answer.outcome === 'completed' && answer.status === 200;
  if (billedOnce !== null && !(await isBilledHere(context, request, billedOnce, answer, reading))) {
    // Nobody will ever read it whole, and nobody pays for it: that is shown at least.
    const isLost = isFetched && reading !== null && !reading.inspected && reading.usage === null;
    return isLost ? { ...unmeasured, doubt: doubtOf('unreadable') } : unmeasured;
  }
  const isTold = reading?.usageIsFinal && isCounted(reading.usage, texts);
  const measured = isTold
    ? await measureTold(context, request, operation, answer, reading, models)
    : await measureUntold(context, request, operation, answer, reading, models, texts);
  return { ...unmeasured, ...measured };
}

/** The provider had the request, and did not refuse it. What it refused it does not bill, unless it says so. */
function mayBeBilled({ sent, status }: Answer, reading: ResponseReading | null): boolean {
  if (!sent) return false;
  // "Not modified" is an answer to the agent's own condition, and no refusal. A redirect leads out of here.
  const isRefusal = status !== null && status >= 300 && status < 600 && status !== 304;
  return isRefusal || reading?.isError ? (reading?.usage ?? null) !== null : true;
}

/**
 * Servers that do not count say 0, or leave a figure out: a call that is counted in tokens has some of input, and some of
 * output where text was written.
 */
function isCounted(usage: Usage | null, { answer }: CallTexts): boolean {
  if (usage === null) return false;
  const { promptTokens, completionTokens, ...others } = usage;
  if (promptTokens + completionTokens === 0) return Object.values(others).some((count) => count > 0);
  const wroteText = answer !== null && 'parts' in answer && answer.parts.some((part) => part.trim() !== '');
  return promptTokens > 0 && (completionTokens > 0 || !wroteText || usage.inputAudioSeconds > 0);
}

type Figures = Omit<Measured, 'model' | 'answeredModel' | 'requestedModel'>;

/** An answer may report up to 100,000 calls: others have their turn after this many, which take a few milliseconds. */
const maxPricedAtOnce = 1_000;

async function measureTold(
  context: ProxyContext,
  request: AdmittedRequest,
  operation: Operation,
  { reported }: Answer,
  reading: ResponseReading,
  models: readonly string[],
): Promise<Figures> {
  const { serviceTier, usage } = reading;
  const calls = reading.calls ?? (usage ? [{ model: null, usage }] : []);
  const sum = reported ?? new BillCalls(context, request, operation, { models, serviceTier });
  if (reported === null) {
    for (const [index, call] of calls.entries()) {
      if (index > 0 && index % maxPricedAtOnce === 0) await setImmediate();
      sum.add(call);
    }
  }
  const bill = sum.read();
  // Of one call figures stand at its end, whatever was passed over before them; of results each line counts.
  const isWhole = reported === null || reading.inspected;
  const isBelieved = bill.disbelieved === null;
  return {
    ...readBill(context, request, bill),
    usageSource: isBelieved && isWhole ? 'provider' : 'estimated',
    doubt: isBelieved ? (isWhole ? null : doubtOf('unreadable', bill)) : doubtOf('claim_too_large', bill.disbelieved),
  };
}

async function measureUntold(
  context: ProxyContext,
  request: AdmittedRequest,
  operation: Operation,
  answer: Answer,
  reading: ResponseReading | null,
  models: readonly string[],
  texts: CallTexts,
): Promise<Figures> {
  const claimed = reading?.usage ?? null;
  const told = claimed && boundClaims(request.body.inspected)(claimed);
  const estimate = await estimateUsage(context, request, operation, models, { answer, reading, told, texts });
  const sum = new BillCalls(context, request, operation, {
    models,
    serviceTier: reading?.serviceTier ?? null,
    believesAll: true,
  });
  sum.add({ model: null, usage: estimate.usage });
  const bill = sum.read();
  const { nanoUsd, isCapped } = request.reservation;
  const costNanoUsd = isCapped && !estimate.isKnown ? Math.max(bill.costNanoUsd, nanoUsd) : bill.costNanoUsd;
  const isDoubted = claimed !== null && told !== claimed;
  return {
    ...readBill(context, request, bill),
    costNanoUsd,
    usageSource: 'estimated',
    doubt: isDoubted
      ? doubtOf('claim_too_large', { usage: claimed, costNanoUsd: 0 })
      : estimate.isUnreadable
        ? doubtOf('unreadable')
        : null,
  };
}

function readBill(
  context: ProxyContext,
  { head }: AdmittedRequest,
  { usage, costNanoUsd, priceVersion, unpriced }: Bill,
): Pick<Measured, 'promptTokens' | 'completionTokens' | 'costNanoUsd' | 'priceVersion'> {
  for (const name of unpriced) context.reportUnpriced(head.provider.id, name);
  return { promptTokens: usage.promptTokens, completionTokens: usage.completionTokens, costNanoUsd, priceVersion };
}

/** @param claimed nothing where nothing was claimed */
function doubtOf(reason: Doubt['reason'], claimed?: { usage: Usage; costNanoUsd: number } | null): Doubt {
  const { promptTokens = 0, completionTokens = 0 } = claimed?.usage ?? {};
  return { reason, promptTokens, completionTokens, costNanoUsd: claimed?.costNanoUsd ?? 0 };
}
