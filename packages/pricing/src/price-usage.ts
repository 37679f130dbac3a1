import type { ModelPrice } from '@pydantic/genai-prices';
import { priceVersion, readPricesAt } from './library-prices.ts';
import { createPriceBook, type PriceBookOptions, type PricedModel } from './price-book.ts';
import { holdsAt, type PriceFile } from './price-file.ts';
import { chargeUsage } from './price-row.ts';
import type { PricedCall, PriceUsage, UsagePrice } from './priced-call.ts';
import { priceTier, readServiceTier } from './service-tiers.ts';
import { supplementVersion } from './supplement.ts';
import { makeUsage } from './usage.ts';

const unpriced: UsagePrice = { costNanoUsd: 0, priceVersion: null, priced: false };

/** The prices of a call, and how its record names them. */
interface ChosenPrices {
  prices: ModelPrice;
  half: boolean;
  version: string;
}

function choosePrices(model: PricedModel, call: PricedCall, file: PriceFile | null): ChosenPrices | null {
  const tier = readServiceTier(call.serviceTier);
  const entry = model.entries.find((each) => holdsAt(each, call.at));
  if (entry && file) {
    const version = `${priceVersion} + ${file.version}`;
    const own = tier !== null && entry.service_tiers?.[tier];
    if (own) return { prices: own, half: false, version: `${version}, ${tier}` };
    return { prices: entry.prices, half: false, version: version + priceTier(tier, null).mark };
  }
  const { half, mark } = priceTier(tier, model.vendor);
  const listed = model.listed && readPricesAt(model.listed, call.at);
  if (listed) return { prices: listed, half, version: priceVersion + mark };
  if (!model.supplement) return null;
  return { prices: model.supplement.prices, half, version: `${priceVersion} + ${supplementVersion}${mark}` };
}

/**
 * Makes the function that prices calls: from the operator's file if it has the model, else from the library's price data,
 * else from our supplement to it. It remembers the models that it has looked up.
 */
export function createPriceUsage(options: PriceBookOptions = {}): PriceUsage {
  const book = createPriceBook(options);
  const { file = null } = options;
  return (call) => {
    // No model has a longer name, and matching it against every pattern takes time.
    if (call.model.length > 256 || Number.isNaN(call.at.getTime())) return unpriced;
    const chosen = choosePrices(book.find(call), call, file);
    const costNanoUsd = chosen && chargeUsage(book.compile(chosen.prices, chosen.half), makeUsage({ ...call.usage }));
    return costNanoUsd === null ? unpriced : { costNanoUsd, priceVersion: chosen?.version ?? null, priced: true };
  };
}
