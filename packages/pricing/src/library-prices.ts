import { calcPrice, findProvider, type ModelInfo, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import type { PricedCall } from './priced-call.ts';

/** The library whose price data is used, with its version. */
export const priceVersion = 'genai-prices 0.1.8';

/** The vendor whose prices apply to an API at an unknown address, such as a simulated provider. */
const vendors = { openai: 'openai', anthropic: 'anthropic', gemini: 'google' } as const;

/** A model that the library knows. */
export interface LibraryModel {
  name: string;
  provider: Provider;
  model: ModelInfo;
  /** The second, since 1970, for which `prices` were looked up: prices of some models change with time. */
  second: number;
  prices: ModelPrice;
}

/**
 * The library throws for contradictory price rows and invalid times. A call is then unpriced, which is
 * reported, rather than failed.
 */
function lookUp(name: string, options: Parameters<typeof calcPrice>[2]): ReturnType<typeof calcPrice> {
  try {
    return calcPrice({}, name, options);
  } catch {
    return null;
  }
}

const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Finds the vendor by the address, since its owner sends the bill; then by the configured name; then by the API. */
export function findVendor(call: Pick<PricedCall, 'baseUrl' | 'provider' | 'api'>): Provider | null {
  return (
    findProvider({ providerApiUrl: call.baseUrl }) ??
    findProvider({ providerId: call.provider }) ??
    findProvider({ providerId: vendors[call.api] }) ??
    null
  );
}

/** Looks a model up in the list of one vendor; null if it is not there. */
export function findLibraryModel(vendor: Provider, name: string, at: Date): LibraryModel | null {
  const found = lookUp(name, { providerId: vendor.id, timestamp: at });
  if (!found) return null;
  return { name, provider: found.provider, model: found.model, second: secondOf(at), prices: found.model_price };
}

/** The row that applies at a time, cached with the model; null if no row applies. */
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
