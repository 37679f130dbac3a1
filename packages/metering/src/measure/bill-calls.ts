import { makeUsage, type Usage, type UsagePrice } from '@agp/catalogue';
import { markUnpriced } from '@agp/core/events';
import type { Call } from '../call.ts';
import { nameModel } from '../call-head.ts';
import {
  type AnswerReading,
  addUsage,
  maxReportedCalls,
  type OnCall,
  type ReportedCall,
} from '../dialects/operation.ts';
import { guessCost, type MeteringParts } from '../metering-parts.ts';

export interface Bill {
  usage: Usage;
  costNanoUsd: number;
  priceVersion: string | null;
  unpriced: ReadonlySet<string>;
  unpricedUnits: ReadonlySet<string>;
  disbelieved: { usage: Usage; costNanoUsd: number } | null;
}

type Answered = Pick<AnswerReading, 'usage' | 'calls' | 'charge'>;

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
  readonly #usage = makeUsage({});
  /** Null while all was believed: the same as `#usage`. */
  #claimed: Usage | null = null;
  #costNanoUsd = 0;
  #claimedNanoUsd = 0;
  #priceVersion: string | null = null;
  #calls = 0;
  #isBelieved = true;

  /** @param models that may have served a call that names none: the dearest prices it */
  constructor(parts: MeteringParts, { head, body, reservation }: Call, { models, serviceTier }: BillOptions) {
    const priceOne = (model: string, { usage: told, charge, requests, serviceTier: ownTier }: ReportedCall) => {
      const { webSearches } = told;
      const usage =
        webSearches > 0 && body?.searchesByPreview ? { ...told, webSearches: 0, previewSearches: webSearches } : told;
      const tier = ownTier ?? serviceTier;
      const price = parts.priceUsage({ ...nameModel(head, model), usage, charge, requests, serviceTier: tier });
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
      this.#isBelieved = false;
      return;
    }
    const isBelieved = claimed.promptTokens <= most && claimed.completionTokens <= most;
    const usage = isBelieved ? claimed : cutUsage(claimed, most);
    const price = this.#priceOf({ ...call, usage });
    if (!isBelieved) this.#claimed ??= { ...this.#usage };
    addUsage(this.#usage, usage);
    if (this.#claimed) addUsage(this.#claimed, claimed);
    this.#costNanoUsd = addNano(this.#costNanoUsd, price.costNanoUsd);
    this.#isBelieved &&= isBelieved;
    this.#claimedNanoUsd = addNano(
      this.#claimedNanoUsd,
      isBelieved ? price.costNanoUsd : this.#priceOf(call).costNanoUsd,
    );
    this.#priceVersion ??= price.priceVersion;
    for (const unit of price.unpricedUnits ?? []) this.#unpricedUnits.add(unit);
    if (!price.priced && this.#unpriced.size < maxUnpriced) this.#unpriced.add(price.model);
  };

  /** If an answer names one charge for all its calls, that is its cost, not the sum of their prices. @returns what to add */
  readonly listCalls = ({ usage, calls, charge }: Answered): readonly ReportedCall[] => {
    const whole: ReportedCall[] = usage === null ? [] : [{ model: null, usage, charge }];
    const isOne = charge !== undefined && !calls?.some((call) => call.charge !== undefined);
    return !calls || (isOne && whole.some((call) => this.#priceOf(call).isCharge)) ? whole : calls;
  };

  read(): Bill {
    // The sum lacks what the unpriced ones of several models cost.
    if (this.#unpriced.size > 0 && this.#priceVersion !== null) this.#unpricedUnits.add('other_models');
    return {
      usage: this.#usage,
      costNanoUsd: this.#costNanoUsd,
      priceVersion: markUnpriced(this.#priceVersion, this.#unpricedUnits),
      unpriced: this.#unpriced,
      unpricedUnits: this.#unpricedUnits,
      disbelieved: this.#isBelieved ? null : { usage: this.#claimed ?? this.#usage, costNanoUsd: this.#claimedNanoUsd },
    };
  }
}

function cutUsage(claimed: Usage, most: number): Usage {
  const promptTokens = Math.min(claimed.promptTokens, most);
  return makeUsage({ ...claimed, promptTokens, completionTokens: Math.min(claimed.completionTokens, most) });
}

const addNano = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER);
