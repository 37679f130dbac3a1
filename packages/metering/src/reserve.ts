import { makeUsage, maxTokens, type UsageLimits } from '@agp/catalogue';
import { ApiError } from '@agp/core/errors';
import { bytesPerToken, defaultOutputTokens, guessBatch, type Likely, largestRead, sumBatch } from './batched-calls.ts';
import { type CallHead, listTiers, nameModel } from './call-head.ts';
import { toCamel } from './dialects/bounds.ts';
import { choosesModel } from './dialects/headers.ts';
import type { Operation } from './dialects/operation.ts';
import { guessUnits, limitUnits } from './guarded.ts';
import { isWholePath } from './match-operation.ts';
import { guessCost, type MeteringParts, unpricedNanoUsd } from './metering-parts.ts';
import { type InspectedBody, inspectBody } from './request/inspect-body.ts';
import { notBounded, type StrictDemand } from './request/strict-demand.ts';

/** Of text: beyond this no model reads on anyway. */
const maxPromptTokens = 200_000;

/**
 * The highest likely cost in whole nano-dollars: text by size, pictures, pages and seconds by the vendor's rule, output by the caller's largest bound, else
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

function priceModel(parts: MeteringParts, head: CallHead, asked: Likely, model: string): number {
  const likely = likelyUsage(asked, model);
  const usage = { ...likely, ...guessUnits(head, asked, likely.completionTokens * bytesPerToken) };
  const serviceTier = listTiers(head, asked).join('+');
  const { priced, costNanoUsd } = parts.priceUsage({ ...nameModel(head, model), usage, serviceTier });
  return priced ? costNanoUsd : guessCost(usage);
}

/** Of what cannot be read: as much as a model reads, and an answer without a bound. */
const unreadTokens = maxPromptTokens + defaultOutputTokens;

/**
 * The tokens that a request is likely to use at most; with `mayRefuse` under strict budgets, all that it may. Nothing for free calls, and for
 * what only shows what is done.
 * @throws ApiError `cost_not_bounded`, as for a reservation
 */
export function findTokens(
  parts: MeteringParts,
  head: CallHead,
  body: InspectedBody | null,
  mayRefuse: boolean,
): number {
  if (head.operation?.isBilledLater) return sumBatch(head, body, countTokens) ?? unreadTokens;
  if (head.operation?.billedOnce || head.operation?.isFree || (!head.hasBody && body === null)) return 0;
  const strict = parts.isStrict && mayRefuse ? bounded(head, body)?.strict : null;
  if (strict && !(strict instanceof ApiError)) return boundTokens(parts, head, body?.models ?? [], strict);
  if (body === null) return unreadTokens;
  const counts = body.models.map((model) => countTokens(body, model));
  return Math.max(body.isExact && counts.length > 0 ? 0 : unreadTokens, ...counts);
}

function countTokens(asked: Likely, model: string): number {
  const { promptTokens, completionTokens } = likelyUsage(asked, model);
  return promptTokens + completionTokens;
}

function likelyUsage(asked: Likely, model: string) {
  const { bytes, media, maxOutputTokens, leastOutputTokens, answers, toldUsage } = asked;
  const textBytes = bytes.length - (media?.bytes ?? 0);
  const promptTokens = Math.min(Math.ceil(textBytes / bytesPerToken), maxPromptTokens);
  const seen = media?.count(model);
  const outputTokens = maxOutputTokens ?? Math.max(defaultOutputTokens, leastOutputTokens);
  return makeUsage({
    ...seen,
    ...toldUsage,
    promptTokens: promptTokens + (seen?.promptTokens ?? 0) + (toldUsage.promptTokens ?? 0),
    completionTokens: Math.min(Math.max(answers * outputTokens, toldUsage.completionTokens ?? 0), maxTokens),
    ...(toldUsage.outputImages !== undefined && { outputImages: Math.max(answers, toldUsage.outputImages) }),
  });
}

/** What a request reserves: of a batch what its calls may cost, if a cap or a budget asks. @throws ApiError `cost_not_bounded` */
export function findReservation(
  parts: MeteringParts,
  head: CallHead,
  body: InspectedBody | null,
  { isCapped, mayRefuse }: { isCapped: boolean; mayRefuse: boolean },
): number {
  const reserved = computeReservation(parts, head, body, mayRefuse);
  if (!isCapped || head.operation?.isBilledLater !== true || !head.hasBody) return reserved;
  if (body?.startsUnseen === false && body.bytes.length > largestRead)
    return Math.max(reserved, guessBatch(body.bytes));
  return Math.max(reserved, findLikelyCost(parts, head, body, mayRefuse) ?? unpricedNanoUsd);
}

function computeReservation(
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

/** The same, and of a batch what its calls are likely to cost; null if it does not contain them. @throws ApiError `cost_not_bounded` */
export function findLikelyCost(
  parts: MeteringParts,
  head: CallHead,
  body: InspectedBody | null,
  mayRefuse: boolean,
): number | null {
  if (head.operation?.isBilledLater !== true) return computeReservation(parts, head, body, mayRefuse);
  const asBatch = { ...head, serviceTier: 'batch' };
  return sumBatch(head, body, (asked, model) => priceModel(parts, asBatch, asked, model));
}

/** The cap may have been set after the body was read. */
function bounded(head: CallHead, body: InspectedBody | null): InspectedBody | null {
  if (body === null || head.operation === null || head.operation.isFree || body.strict !== null) return body;
  return inspectBody(head.operation, head, body.bytes, body.form, { mustTell: false, mustBound: true });
}

/** Anthropic's words on tools take up to 800 tokens, xAI's own about 700. */
const framingTokens = 1_024;

/** The same for each tool that the provider knows by name; Anthropic's computer takes 735, its editor 700. */
const toolTokens = 1_024;

/** A picture of a common size in the best quality takes 6,240, and a hundred for each preview. */
const pictureTokens = 16_384;

/** Counts of tokens are cut here: the cost is above any cap. */
const most = 1e12;

const looking = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** The most that a request may cost, in whole nano-dollars. @throws ApiError `cost_not_bounded`, naming the field */
function boundReservation(parts: MeteringParts, head: CallHead, body: InspectedBody | null): number {
  const { operation } = head;
  const isLooking = looking.has(head.method) && !head.hasBody;
  if (isLooking) return 0;
  if (operation === null) throw notBounded('the path', 'is of no model call that is known');
  if (operation.isBilledLater) throw notBounded('a batch', 'costs an amount that only its results show');
  if (operation.isFree) return 0;
  const chooser = Object.keys(head.headers ?? {}).find(choosesModel);
  if (chooser !== undefined) throw notBounded(chooser, 'may choose another model');
  if (!isWholePath(head.path)) throw notBounded('the path', 'may name another model');
  if (body === null || body.strict === null) throw notBounded('the body', 'is missing');
  if (body.strict instanceof ApiError) throw body.strict;
  return boundModels(parts, head, body, body.strict);
}

function boundModels(
  { findModelBounds }: MeteringParts,
  head: CallHead,
  body: InspectedBody,
  demand: StrictDemand,
): number {
  const { writes, inputBytes } = demand;
  const { models } = body;
  if (models.length === 0) throw notBounded('model', 'is missing');
  const tiers = listTiers(head, demand);
  const charges = models.map((model) => {
    const bounds = findModelBounds(nameModel(head, model));
    if (!bounds) throw notBounded('model', 'has no known price');
    for (const tier of tiers) {
      if (!bounds.hasTier(tier)) throw notBounded('the service tier', 'has no known price');
    }
    const tokens = limitTokens(demand, bounds);
    const limits: UsageLimits = {
      ...tokens,
      ...limitUnits(head, body, inputBytes, tokens.outputTokens),
      inputCharacters: writes === 'speech' ? demand.inputBytes : 0,
      outputImages: writes === 'pictures' ? demand.answers : 0,
    };
    const charge = bounds.charge(limits, tiers);
    if (charge === null) throw notBounded('model', 'has no known price for all that this request may use');
    return charge;
  });
  return Math.max(...charges);
}

function limitTokens(demand: StrictDemand, bounds: { largestInput: number; largestOutput: number }) {
  const written =
    (demand.outputTokens ?? Math.max(bounds.largestOutput, demand.leastOutputTokens)) + demand.thinkingTokens;
  const each = { text: written, speech: written, pictures: pictureTokens, nothing: 0 }[demand.writes];
  return {
    inputTokens: Math.min(countInput(demand, bounds.largestInput), most),
    outputTokens: Math.min(demand.answers * each, most),
  };
}

function boundTokens(
  { findModelBounds }: MeteringParts,
  head: CallHead,
  models: readonly string[],
  demand: StrictDemand,
): number {
  const counts = models.map((model) => {
    const bounds = findModelBounds(nameModel(head, model));
    if (!bounds) throw notBounded('model', 'has no known size');
    const { inputTokens, outputTokens } = limitTokens(demand, bounds);
    return inputTokens + outputTokens;
  });
  return Math.max(0, ...counts);
}

/** No input is larger than the model's context; each of several inputs has a context of its own. */
function countInput(demand: StrictDemand, largestInput: number): number {
  const sized = demand.inputBytes + framingTokens + demand.describedTools * toolTokens;
  if (demand.writes === 'nothing') return sized + demand.unsizedInputs * largestInput;
  return demand.unsizedInputs > 0 ? largestInput : sized;
}

export interface Cheaper {
  bound: string;
  nanoUsd: number;
}

/** How cheap a request becomes by its bound on the output alone; null if it has none. For refused ones only. */
export function findCheaper(
  parts: MeteringParts,
  head: CallHead,
  body: InspectedBody | null,
  mayRefuse: boolean,
): Cheaper | null {
  const bound = head.operation && body && findBound(head.operation, head.provider.baseUrl, body.bytes);
  if (!bound) return null;
  const { strict } = body;
  if (strict instanceof ApiError) return null;
  const outputTokens = Math.max(1, body.otherOutputTokens);
  const lowered = { outputTokens, leastOutputTokens: outputTokens };
  const cheaper: InspectedBody = {
    ...body,
    maxOutputTokens: outputTokens,
    leastOutputTokens: outputTokens,
    strict: strict && { ...strict, ...lowered },
  };
  try {
    return { bound, nanoUsd: computeReservation(parts, head, cheaper, mayRefuse) };
  } catch {
    return null;
  }
}

function findBound(operation: Operation, baseUrl: URL, bytes: Buffer): string | null {
  const { bounds } = operation;
  if (bounds?.writes !== 'text') return null;
  const names = [bounds.members, bounds.settings, ...Object.values(bounds.settingsOf ?? {})]
    .flatMap((rules) => Object.entries(rules ?? {}))
    .filter(([name, rule]) => rule === 'bound' && bounds.knows?.(name, baseUrl) !== false)
    .map(([name]) => (bounds.isEitherCase ? toCamel(name) : name));
  return names.find((name) => bytes.includes(`"${name}"`)) ?? names[0] ?? null;
}
