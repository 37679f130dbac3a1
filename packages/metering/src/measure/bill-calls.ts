import { makeUsage, type Usage, type UsagePrice } from '@agp/pricing';
import type { Call } from '../call.ts';
import { addUsage, maxReportedCalls, type OnCall } from '../dialects/operation.ts';
import type { MeteringParts } from '../metering-parts.ts';
import { boundClaims } from './bound-claims.ts';

/** The usage and cost of several calls together. */
export interface Bill {
  usage: Usage;
  /** Whole nano-dollars. */
  costNanoUsd: number;
  priceVersion: string | null;
  /** Models without a known price. */
  unpriced: ReadonlySet<string>;
  /** The claim, if some of it was not believed; else null. */
  disbelieved: { usage: Usage; costNanoUsd: number } | null;
}

interface BillOptions {
  models: readonly string[];
  serviceTier: string | null;
  believesAll?: boolean;
}

/** The provider chooses models' names, so their number is bounded here. */
const maxUnpriced = 100;

/**
 * Adds up calls as they come, without keeping them. The figures of each count up to the most that its request allows, and each is
 * priced by its own model and size. A claim that costs no more than was reserved is always believed: otherwise an honest answer
 * could be recorded below its price.
 */
export class BillCalls {
  /** The request's reservation, in nano-dollars. */
  readonly #foreseenNanoUsd: number;
  readonly #priceOf: (model: string | null, usage: Usage) => UsagePrice & { model: string };
  readonly #believe: (claimed: Usage) => Usage;
  readonly #unpriced = new Set<string>();
  readonly #usage = makeUsage({});
  readonly #claimed = makeUsage({});
  #costNanoUsd = 0;
  #claimedNanoUsd = 0;
  #priceVersion: string | null = null;
  #calls = 0;
  #isBelieved = true;

  /**
   * @param models models that may have served a call that names none; the dearest of them prices it
   * @param serviceTier as the answer names it, else the request
   * @param believesAll the figures are our own
   */
  constructor(
    { priceUsage }: MeteringParts,
    { head, body, reservation }: Call,
    { models, serviceTier, believesAll = false }: BillOptions,
  ) {
    const { provider, operation } = head;
    const [api, baseUrl] = [operation?.api ?? provider.api, provider.baseUrl.href];
    const at = new Date(head.timestamp);
    this.#foreseenNanoUsd = reservation.nanoUsd;
    this.#believe = believesAll ? (usage) => usage : boundClaims(body);
    const priceOne = (model: string, usage: Usage) => ({
      model,
      ...priceUsage({ provider: provider.id, api, baseUrl, model, usage, at, serviceTier }),
    });
    this.#priceOf = (model, usage) => {
      if (model !== null || models.length === 0) return priceOne(model ?? 'unknown', usage);
      return models.map((each) => priceOne(each, usage)).reduce((a, b) => (b.costNanoUsd > a.costNanoUsd ? b : a));
    };
  }

  readonly add: OnCall = ({ model, usage: claimed }) => {
    this.#calls += 1;
    if (this.#calls > maxReportedCalls) {
      this.#isBelieved = false;
      return;
    }
    const usage = this.#believe(claimed);
    const price = this.#priceOf(model, usage);
    addUsage(this.#usage, usage);
    addUsage(this.#claimed, claimed);
    this.#costNanoUsd = addNano(this.#costNanoUsd, price.costNanoUsd);
    const isBelieved = usage === claimed;
    this.#isBelieved &&= isBelieved;
    this.#claimedNanoUsd = addNano(
      this.#claimedNanoUsd,
      isBelieved ? price.costNanoUsd : this.#priceOf(model, claimed).costNanoUsd,
    );
    this.#priceVersion ??= price.priceVersion;
    if (!price.priced && this.#unpriced.size < maxUnpriced) this.#unpriced.add(price.model);
  };

  read(): Bill {
    const claimed = { usage: this.#claimed, costNanoUsd: this.#claimedNanoUsd };
    const bounded = { usage: this.#usage, costNanoUsd: this.#costNanoUsd };
    const isForeseen = this.#calls <= maxReportedCalls && this.#claimedNanoUsd <= this.#foreseenNanoUsd;
    return {
      ...(isForeseen ? claimed : bounded),
      priceVersion: this.#priceVersion,
      unpriced: this.#unpriced,
      disbelieved: this.#isBelieved || isForeseen ? null : claimed,
    };
  }
}

const addNano = (a: number, b: number) => Math.min(a + b, Number.MAX_SAFE_INTEGER);
