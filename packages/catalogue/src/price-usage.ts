import type { ModelPrice } from '@pydantic/genai-prices';
import {
  createPriceBook,
  type PriceBookOptions,
  type PricedCall,
  type PricedModel,
  type PriceUsage,
  priceVersion,
  readPricesAt,
  supplementVersion,
  type UsagePrice,
} from './price-book.ts';
import { holdsAt, type PriceEntry, type PriceFile } from './price-file.ts';
import { chargeUsage, listUnpriced } from './price-row.ts';
import { listPrice, priceTiers, readServiceTiers, type TokenFactor } from './service-tiers.ts';
import { leastSeconds, tellsCharges } from './unit-prices.ts';
import { countedUnits, makeUsage, type Usage } from './usage.ts';

const nothing: ModelPrice = {};
const unpriced: UsagePrice = { costNanoUsd: 0, priceVersion: null, priced: false };

export interface ChosenPrices {
  prices: ModelPrice;
  /** Of units that `prices` leaves out. */
  more?: ModelPrice;
  /** Without what entries added; the same object for each call. */
  base?: ModelPrice;
  added?: readonly ModelPrice[];
  factor: TokenFactor;
  version: string;
}

/** Of the tiers that have a row; callers name them. */
function chooseTiers(tiers: readonly string[], rows: PriceEntry['service_tiers'], version: string): ChosenPrices[] {
  return tiers.flatMap((tier) => {
    const prices = rows && Object.hasOwn(rows, tier) ? rows[tier] : undefined;
    return prices ? [{ prices, factor: listPrice, version: `${version}, ${tier}` }] : [];
  });
}

const sums = new WeakMap<ModelPrice, WeakMap<ModelPrice, ModelPrice>>();

/** The same object for the same two, so that it is compiled once; what is free stays so. */
function addUnits(prices: ModelPrice, added: ModelPrice): ModelPrice {
  if (Object.keys(prices).length === 0) return prices;
  const known = sums.get(added) ?? new WeakMap<ModelPrice, ModelPrice>();
  const sum = known.get(prices) ?? { ...prices, ...added };
  sums.set(added, known.set(prices, sum));
  return sum;
}

/** Several if the operator has prices for several of the tiers: the dearest counts. */
export function choosePrices(
  model: PricedModel,
  call: Omit<PricedCall, 'usage'>,
  file: PriceFile | null,
): ChosenPrices[] {
  const chosen = chooseBases(model, call, file);
  if (model.added.length === 0) return chosen;
  const added = model.added.filter((each) => holdsAt(each, call.at)).map(({ prices }): ModelPrice => prices);
  const add = (base: ModelPrice) => added.reduceRight(addUnits, base);
  return chosen.map((each) => ({ ...each, base: each.prices, prices: add(each.prices), added }));
}

function chooseBases(model: PricedModel, call: Omit<PricedCall, 'usage'>, file: PriceFile | null): ChosenPrices[] {
  const asked = readServiceTiers(call.serviceTier);
  const tiers = model.hostTier === null ? asked : [...asked, model.hostTier];
  const entry = model.entries.find((each) => holdsAt(each, call.at));
  const { factor, mark } = priceTiers(tiers, entry?.service_tiers ? null : model.vendor, call.model);
  if (entry && file) {
    const version = `${priceVersion} + ${file.version}`;
    const own = chooseTiers(tiers, entry.service_tiers, version);
    return own.length > 0 ? own : [{ prices: entry.prices, factor, version: version + mark }];
  }
  const listed = model.listed && readPricesAt(model.listed, call.at);
  const more = model.unitPrices ?? undefined;
  if (listed) return [{ prices: listed, factor, version: priceVersion + mark, ...(more && { more }) }];
  if (!model.supplement) return [];
  const version = `${priceVersion} + ${supplementVersion}`;
  const own = chooseTiers(tiers, model.supplement.service_tiers, version);
  return own.length > 0 ? own : [{ prices: model.supplement.prices, factor, version: version + mark }];
}

function supplements(more: ModelPrice, prices: ModelPrice, usage: Usage): boolean {
  for (const { priceKey: key, usageKey } of countedUnits)
    if (usage[usageKey] > 0 && more[key] !== undefined && prices[key] === undefined) return true;
  return false;
}

/** No call comes near it, in nano-dollars; a larger claim is a fault. */
export const mostCharged = 10_000_000_000_000;

const isCharge = (charge: number | undefined): charge is number =>
  charge !== undefined && charge >= 0 && charge <= mostCharged;

export function createPriceUsage(options: PriceBookOptions = {}): PriceUsage {
  const book = createPriceBook(options);
  const { file = null } = options;
  return (call) => {
    // No model has a longer name, and matching it against every pattern takes time.
    if (call.model.length > 256 || Number.isNaN(call.at.getTime())) return unpriced;
    const usage = makeUsage(call.usage);
    const model = book.find(call);
    if (
      isCharge(call.charge) &&
      tellsCharges.has(model.vendor) &&
      !model.entries.some((each) => holdsAt(each, call.at))
    ) {
      const priceVersion = `charged by ${model.vendor}`;
      return { costNanoUsd: Math.round(call.charge), priceVersion, priced: true, isCharge: true };
    }
    const least = (leastSeconds.get(model.vendor) ?? 0) * (call.requests ?? 1);
    if (usage.inputAudioSeconds > 0) usage.inputAudioSeconds = Math.max(usage.inputAudioSeconds, least);
    const charged = choosePrices(model, call, file).flatMap((chosen): UsagePrice[] => {
      const { prices, more, added, factor } = chosen;
      const row = book.compile(prices, factor, more);
      const costNanoUsd = chargeUsage(row, usage, call.requests);
      if (costNanoUsd === null) return [];
      const unpricedUnits = listUnpriced(row, usage);
      let priceVersion = chosen.version;
      if (more && supplements(more, prices, usage)) priceVersion += ` + ${supplementVersion}`;
      const isAdded = added?.some((each) => supplements(each, nothing, usage));
      if (isAdded && file && !priceVersion.includes(file.version)) priceVersion += ` + ${file.version}`;
      return [{ costNanoUsd, priceVersion, priced: true, ...(unpricedUnits && { unpricedUnits }) }];
    });
    return charged.reduce((a, b) => (b.costNanoUsd > a.costNanoUsd ? b : a), charged[0] ?? unpriced);
  };
}
