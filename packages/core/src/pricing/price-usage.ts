import { calcPrice, findProvider, type ModelInfo, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import { chargeUsage, compilePriceRow, type PriceRow } from './price-row.ts';
import { makeUsage, type Usage } from './usage.ts';

/** The price data that costs are computed from; stands in the lineage payload as `price_version`. */
export const priceVersion = 'genai-prices 0.1.8';

/** A model call that is to be priced. */
export interface PricedCall {
  /** The provider's id as configured. */
  provider: string;
  api: 'openai' | 'anthropic' | 'gemini';
  /** The provider's base URL, which tells whose prices hold behind a compatible API. */
  baseUrl: string;
  model: string;
  usage: Usage;
  /** When the call was made: some prices change by date or by time of day. */
  at: Date;
  /** The tier that the provider says it served the call with (`flex`, `priority`, `batch` ...); null where it says none. */
  serviceTier?: string | null;
  /** The provider charges nothing for this operation, whatever it used (counting tokens, moderation). */
  free?: boolean;
}

/** What a call costs. */
export interface UsagePrice {
  /** Whole nano-dollars; 0 where the model has no known price. */
  costNanoUsd: number;
  /** {@link priceVersion}, or null where the model has no known price. */
  priceVersion: string | null;
  priced: boolean;
}

/** Prices one call. Never throws. */
export type PriceUsage = (call: PricedCall) => UsagePrice;

/** The vendor whose prices hold for an API at an address that is not known, such as a simulated provider. */
const vendors = { openai: 'openai', anthropic: 'anthropic', gemini: 'google' } as const;

const unpriced: UsagePrice = { costNanoUsd: 0, priceVersion: null, priced: false };

interface PricedModel {
  name: string;
  provider: Provider;
  model: ModelInfo;
  /** The row that held in `second`, for models whose prices change with time. */
  second: number;
  prices: ModelPrice;
}

/**
 * The library throws on price rows that contradict themselves and on times that are none; a call is
 * then unpriced, which is seen, rather than failed.
 */
function lookUp(name: string, options: Parameters<typeof calcPrice>[2]): ReturnType<typeof calcPrice> {
  try {
    return calcPrice({}, name, options);
  } catch {
    return null;
  }
}

/** By the address first, since that is who sends the bill; then by the configured name; then by the API's own vendor. */
function findModel(call: PricedCall): PricedModel | null {
  const provider =
    findProvider({ providerApiUrl: call.baseUrl }) ??
    findProvider({ providerId: call.provider }) ??
    findProvider({ providerId: vendors[call.api] });
  const found = provider && lookUp(call.model, { providerId: provider.id, timestamp: call.at });
  if (!found) return null;
  return {
    name: call.model,
    provider: found.provider,
    model: found.model,
    second: secondOf(call.at),
    prices: found.model_price,
  };
}

const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/**
 * Makes the function that prices calls, from the price data that comes with the library. It remembers
 * what models it has looked up.
 *
 * @param maxModels how many are remembered: names come from callers, so that there is no end of them
 */
export function createPriceUsage(maxModels = 1_000): PriceUsage {
  const models = new Map<string, PricedModel | null>();
  const rows = new WeakMap<ModelPrice, PriceRow>();

  function resolve(call: PricedCall): PricedModel | null {
    const key = JSON.stringify([call.provider, call.api, call.baseUrl, call.model]);
    const known = models.get(key);
    if (known !== undefined) return known;
    const found = findModel(call);
    if (models.size >= maxModels) models.delete(models.keys().next().value ?? '');
    models.set(key, found);
    return found;
  }

  function rowAt(entry: PricedModel, time: Date): PriceRow | null {
    if (Array.isArray(entry.model.prices) && entry.second !== secondOf(time)) {
      const only = { ...entry.provider, models: [entry.model] };
      const found = lookUp(entry.name, { provider: only, timestamp: time });
      if (!found) return null;
      entry.second = secondOf(time);
      entry.prices = found.model_price;
    }
    let row = rows.get(entry.prices);
    if (!row) {
      row = compilePriceRow(entry.prices);
      rows.set(entry.prices, row);
    }
    return row;
  }

  return (call) => {
    // A longer name is no model's; matching it against every pattern would only cost time.
    if (call.model.length > 256 || Number.isNaN(call.at.getTime())) return unpriced;
    const entry = resolve(call);
    const row = entry && rowAt(entry, call.at);
    if (!row) return unpriced;
    return { costNanoUsd: chargeUsage(row, makeUsage({ ...call.usage })), priceVersion, priced: true };
  };
}
