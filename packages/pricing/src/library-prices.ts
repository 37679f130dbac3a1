import { calcPrice, findProvider, type ModelInfo, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import type { PricedCall } from './priced-call.ts';

/** The version of the library whose price data is used. */
export const priceVersion = 'genai-prices 0.1.8';

/** The vendor whose prices hold for an API at an address that is not known, such as a simulated provider. */
const vendors = { openai: 'openai', anthropic: 'anthropic', gemini: 'google' } as const;

/** A model that the library knows. */
export interface LibraryModel {
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

const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** By the address first, since that is who sends the bill; then by the configured name; then by the API's own vendor. */
export function findVendor(call: Pick<PricedCall, 'baseUrl' | 'provider' | 'api'>): Provider | null {
  return (
    findProvider({ providerApiUrl: call.baseUrl }) ??
    findProvider({ providerId: call.provider }) ??
    findProvider({ providerId: vendors[call.api] }) ??
    null
  );
}

/** Looks a model up in the list of one vendor; null where it has none of that name. */
export function findLibraryModel(vendor: Provider, name: string, at: Date): LibraryModel | null {
  const found = lookUp(name, { providerId: vendor.id, timestamp: at });
  if (!found) return null;
  return { name, provider: found.provider, model: found.model, second: secondOf(at), prices: found.model_price };
}

/** The row that holds at a time, which is kept with the model; null where none does. */
export function readPricesAt(entry: LibraryModel, time: Date): ModelPrice | null {
  if (Array.isArray(entry.model.prices) && entry.second !== secondOf(time)) {
    const only = { ...entry.provider, models: [entry.model] };
    const found = lookUp(entry.name, { provider: only, timestamp: time });
    if (!found) return null;
    entry.second = secondOf(time);
    entry.prices = found.model_price;
  }
  return entry.prices;
}
