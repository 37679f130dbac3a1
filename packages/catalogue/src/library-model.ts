import { calcPrice, type ModelInfo, type ModelPrice, type Provider } from '@pydantic/genai-prices';

export interface LibraryModel {
  name: string;
  provider: Provider;
  model: ModelInfo;
  /** The second, since 1970, for which `prices` were looked up: prices of some models change with time. */
  second: number;
  prices: ModelPrice;
}

/** The library throws for contradictory rows and invalid times: such a call is unpriced, which is reported. */
function lookUp(name: string, options: Parameters<typeof calcPrice>[2]): ReturnType<typeof calcPrice> {
  try {
    return calcPrice({}, name, options);
  } catch {
    return null;
  }
}

const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);

export function findLibraryModel(vendor: Provider, name: string, at: Date): LibraryModel | null {
  const found = lookUp(name, { providerId: vendor.id, timestamp: at });
  if (!found) return null;
  return { name, provider: found.provider, model: found.model, second: secondOf(at), prices: found.model_price };
}

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

export function findEditions(vendor: Provider, model: string): string[] {
  const edition = `${model.toLowerCase()}-`;
  const names = vendor.models.map(({ id }) => id);
  return names.filter((id) => id.toLowerCase().startsWith(edition) && /^\d{4}[\d-]*$/.test(id.slice(edition.length)));
}
