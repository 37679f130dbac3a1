import type { ModelPrice } from '@pydantic/genai-prices';
import { findLibraryModel, findVendor, type LibraryModel, priceVersion, readPricesAt } from './library-prices.ts';
import { findEntries, holdsAt, type PriceEntry, type PriceFile } from './price-file.ts';
import { chargeUsage, compilePriceRow, type PriceRow } from './price-row.ts';
import type { PricedCall, PriceUsage, UsagePrice } from './priced-call.ts';
import { priceTier, readServiceTier } from './service-tiers.ts';
import { supplement, supplementVersion } from './supplement.ts';
import { makeUsage } from './usage.ts';

const unpriced: UsagePrice = { costNanoUsd: 0, priceVersion: null, priced: false };

/** Everything that is known of a provider's model, the first to be asked first. */
interface PricedModel {
  /** From the operator's file, the closest first. */
  entries: readonly PriceEntry[];
  /** The library's id of whose list the rest is from. */
  vendor: string | null;
  listed: LibraryModel | null;
  supplement: PriceEntry | null;
}

/** The prices of a call, and how its record names them. */
interface ChosenPrices {
  prices: ModelPrice;
  half: boolean;
  version: string;
}

function findModel(call: PricedCall, file: PriceFile | null): PricedModel {
  const vendor = findVendor(call);
  const listed = vendor && findLibraryModel(vendor, call.model, call.at);
  return {
    entries: file ? findEntries(file.entries, call.provider, call.model) : [],
    vendor: vendor?.id ?? null,
    listed,
    supplement: supplement.find(({ provider, model }) => provider === vendor?.id && model === call.model) ?? null,
  };
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

export interface PriceUsageOptions {
  /** Prices that come before all others. */
  file?: PriceFile | null;
  /** How many models are remembered: names come from callers, so that there is no end of them. */
  maxModels?: number;
}

/**
 * Makes the function that prices calls: from the operator's file where it has the model, else from the price data that
 * comes with the library, else from our supplement to it. It remembers what models it has looked up.
 */
export function createPriceUsage({ file = null, maxModels = 1_000 }: PriceUsageOptions = {}): PriceUsage {
  const models = new Map<string, PricedModel>();
  const rows = { full: new WeakMap<ModelPrice, PriceRow>(), half: new WeakMap<ModelPrice, PriceRow>() };

  function resolve(call: PricedCall): PricedModel {
    const key = JSON.stringify([call.provider, call.api, call.baseUrl, call.model]);
    const known = models.get(key);
    if (known !== undefined) return known;
    const found = findModel(call, file);
    if (models.size >= maxModels) models.delete(models.keys().next().value ?? '');
    models.set(key, found);
    return found;
  }

  function compile({ prices, half }: ChosenPrices): PriceRow {
    const compiled = half ? rows.half : rows.full;
    let row = compiled.get(prices);
    if (!row) {
      row = compilePriceRow(prices, half);
      compiled.set(prices, row);
    }
    return row;
  }

  return (call) => {
    // A longer name is no model's; matching it against every pattern would only cost time.
    if (call.model.length > 256 || Number.isNaN(call.at.getTime())) return unpriced;
    const chosen = choosePrices(resolve(call), call, file);
    const costNanoUsd = chosen && chargeUsage(compile(chosen), makeUsage({ ...call.usage }));
    return costNanoUsd === null ? unpriced : { costNanoUsd, priceVersion: chosen?.version ?? null, priced: true };
  };
}
