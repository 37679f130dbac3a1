import { setImmediate } from 'node:timers/promises';
import { makeUsage, nameBilled, type Usage, type UsagePrice } from '@agp/catalogue';
import { markUnpriced } from '@agp/core/events';
import type { ResponseReading } from '../answer/reading.ts';
import type { AnswerEnd, Call, Doubt, Measurement } from '../call.ts';
import { listTiers, nameModel } from '../call-head.ts';
import {
  type AnswerReading,
  addUsage,
  maxReportedCalls,
  type OnCall,
  type ReportedCall,
} from '../dialects/operation.ts';
import { joinTiers } from '../dialects/tier.ts';
import { guessCost, type MeteringParts } from '../metering-parts.ts';
import type { CallTexts } from './scan-call.ts';

interface Sum {
  usage: Usage;
  costNanoUsd: number;
}

export interface Bill extends Sum {
  priceVersion: string | null;
  unpriced: ReadonlySet<string>;
  unpricedUnits: ReadonlySet<string>;
  disbelieved: Sum | null;
}

type AnswerFigures = Pick<AnswerReading, 'usage' | 'calls' | 'charge'>;

interface BillOptions {
  models: readonly string[];
  serviceTier: string | null;
}

/** The provider chooses models' names, so their number is bounded here. */
const maxUnpriced = 100;

/** No call has used more tokens than this, of input or of output: four times the largest context that is sold. */
const mostTokens = 8_388_608;

/** The provider bills, so its figures are the record, each call's priced by its own model and size. */
export class BillCalls {
  readonly #priceOf: (call: ReportedCall) => UsagePrice & { model: string };
  readonly #unpriced = new Set<string>();
  readonly #unpricedUnits = new Set<string>();
  /** What is billed. */
  readonly #believed: Sum = { usage: makeUsage({}), costNanoUsd: 0 };
  /** What the answers said, once that is more than any call can have used. */
  #claimed: Sum | null = null;
  #priceVersion: string | null = null;
  #calls = 0;

  /** @param models that may have served a call that names none: the dearest prices it */
  constructor(parts: MeteringParts, { head, body, reservation }: Call, { models, serviceTier }: BillOptions) {
    const asked = body?.requestedModel ?? '';
    const priceOne = (model: string, { usage: told, charge, requests, serviceTier: ownTier }: ReportedCall) => {
      const { webSearches } = told;
      const usage =
        webSearches > 0 && body?.searchesByPreview ? { ...told, webSearches: 0, previewSearches: webSearches } : told;
      const tier = ownTier ?? serviceTier;
      const price = parts.priceUsage({
        ...nameModel(head, nameBilled(asked, model)),
        usage,
        charge,
        requests,
        serviceTier: tier,
      });
      const isGuessed = !price.priced && reservation.isCapped;
      return { model, ...price, ...(isGuessed && { costNanoUsd: guessCost(usage) }) };
    };
    this.#priceOf = (call) => {
      if (call.model !== null || models.length === 0) return priceOne(call.model ?? 'unknown', call);
      return models.map((each) => priceOne(each, call)).reduce((a, b) => (b.costNanoUsd > a.costNanoUsd ? b : a));
    };
  }

  readonly add: OnCall = (call) => {
    const { usage: claimed, requests = 1 } = call;
    const most = mostTokens * requests;
    this.#calls += 1;
    if (this.#calls > maxReportedCalls) {
      this.#claimed ??= structuredClone(this.#believed);
      return;
    }
    const isBelieved = claimed.promptTokens <= most && claimed.completionTokens <= most;
    const usage = isBelieved ? claimed : cutUsage(claimed, most);
    const price = this.#priceOf({ ...call, usage });
    if (!isBelieved) this.#claimed ??= structuredClone(this.#believed);
    addTo(this.#believed, usage, price.costNanoUsd);
    if (this.#claimed) addTo(this.#claimed, claimed, isBelieved ? price.costNanoUsd : this.#priceOf(call).costNanoUsd);
    this.#priceVersion ??= price.priceVersion;
    for (const unit of price.unpricedUnits ?? []) this.#unpricedUnits.add(unit);
    if (!price.priced && this.#unpriced.size < maxUnpriced) this.#unpriced.add(price.model);
  };

  /** If an answer names one charge for all its calls, that is its cost, not the sum of their prices. @returns what to add */
  readonly listCalls = ({ usage, calls, charge }: AnswerFigures): readonly ReportedCall[] => {
    const whole: ReportedCall[] = usage === null ? [] : [{ model: null, usage, charge }];
    const isOne = charge !== undefined && !calls?.some((call) => call.charge !== undefined);
    return !calls || (isOne && whole.some((call) => this.#priceOf(call).isCharge)) ? whole : calls;
  };

  read(): Bill {
    // The sum lacks what the unpriced ones of several models cost.
    if (this.#unpriced.size > 0 && this.#priceVersion !== null) this.#unpricedUnits.add('other_models');
    return {
      ...this.#believed,
      priceVersion: markUnpriced(this.#priceVersion, this.#unpricedUnits),
      unpriced: this.#unpriced,
      unpricedUnits: this.#unpricedUnits,
      disbelieved: this.#claimed,
    };
  }
}

function cutUsage(claimed: Usage, most: number): Usage {
  const promptTokens = Math.min(claimed.promptTokens, most);
  return makeUsage({ ...claimed, promptTokens, completionTokens: Math.min(claimed.completionTokens, most) });
}

function addTo(sum: Sum, usage: Usage, costNanoUsd: number): void {
  addUsage(sum.usage, usage);
  sum.costNanoUsd = Math.min(sum.costNanoUsd + costNanoUsd, Number.MAX_SAFE_INTEGER);
}

/** An answer may report up to 100,000 calls: others have their turn after this many, which take a few milliseconds. */
const maxPricedAtOnce = 1_000;

/** A call with its answer, as far as that was read. */
export interface Answered<Reading = ResponseReading | null> {
  parts: MeteringParts;
  call: Call;
  end: AnswerEnd;
  reading: Reading;
  texts: CallTexts;
  /** The sum of an answer whose calls were added up as they came. */
  reported: BillCalls | null;
}

/** @param models that may have served a call that names none */
export async function billAnswer(answered: Answered<ResponseReading>, models: readonly string[]): Promise<Bill> {
  const { parts, call, reading, reported } = answered;
  if (reported !== null) return reported.read();
  const sum = new BillCalls(parts, call, { models, serviceTier: findTiers(call, reading) });
  for (const [index, each] of sum.listCalls(reading).entries()) {
    if (index > 0 && index % maxPricedAtOnce === 0) await setImmediate();
    sum.add(each);
  }
  return sum.read();
}

/** What the provider's own figures come to; null if no call can have used them. */
export async function measureTold(
  answered: Answered<ResponseReading>,
  models: readonly string[],
): Promise<Partial<Measurement> | null> {
  const { reading, reported } = answered;
  const bill = await billAnswer(answered, models);
  if (bill.disbelieved && reported === null) return null;
  // The figures of one call come at its end, whatever was passed over before them; of results each line counts.
  const isWhole = reported === null || reading.inspected;
  const doubt = bill.disbelieved
    ? doubtOf('claim_too_large', bill.disbelieved)
    : isWhole
      ? null
      : doubtOf('unreadable', bill);
  return { ...readBill(bill), usageSource: doubt === null ? 'provider' : 'estimated', doubt };
}

export const findTiers = ({ head, body }: Call, reading: ResponseReading | null): string | null =>
  joinTiers(reading?.serviceTier ?? null, listTiers(head, body), head.provider.api);

export function readBill({ usage, costNanoUsd, priceVersion, unpriced, unpricedUnits }: Bill): Partial<Measurement> {
  const { promptTokens, completionTokens } = usage;
  const missing = { unpriced: [...unpriced], unpricedUnits: [...unpricedUnits] };
  return { promptTokens, completionTokens, costNanoUsd, priceVersion, ...missing };
}

export function doubtOf(reason: Doubt['reason'], claimed?: Sum): Doubt {
  const { promptTokens = 0, completionTokens = 0 } = claimed?.usage ?? {};
  return { reason, promptTokens, completionTokens, costNanoUsd: claimed?.costNanoUsd ?? 0 };
}
