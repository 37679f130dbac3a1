import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import { createPriceBook, type PricedCall, type PricedModel, priceVersion, supplement } from './price-book.ts';
import { holdsAt, type PriceFile } from './price-file.ts';
import { findMissing } from './price-row.ts';
import { choosePrices } from './price-usage.ts';

export type PricedProvider = Pick<PricedCall, 'provider' | 'api' | 'baseUrl'>;

export interface ListedPrice {
  /** Null for an entry of the file that holds for every provider. */
  provider: string | null;
  /** Or the beginning of several and `*`. */
  model: string;
  prices: ModelPrice;
  missing: string[];
  source: 'prices_file' | 'library' | 'supplement';
  /** As calls at this price are recorded. */
  version: string;
  since: Date | null;
}

function findStart({ listed }: PricedModel, chosen: ModelPrice): Date | null {
  const sets = listed?.model.prices;
  const constraint = Array.isArray(sets) ? sets.find(({ prices }) => prices === chosen)?.constraint : undefined;
  return constraint?.type === 'start_date' ? new Date(constraint.start_date) : null;
}

/** A provider that is only known by its format has no list: its own models have other names. */
function listModels({ provider, baseUrl }: PricedProvider): string[] {
  const vendor = findProvider({ providerApiUrl: baseUrl }) ?? findProvider({ providerId: provider });
  if (!vendor) return [];
  const added = supplement.filter((row) => row.provider === vendor.id);
  return [...vendor.models.map(({ id }) => id), ...added.map(({ model }) => model)];
}

const listMissing = (prices: ModelPrice): string[] => findMissing(prices).map(({ priceKey }) => priceKey);

/** `list` has all that the library lists of providers, and the file's entries; what both have is there twice, alike. */
export function createPriceLister(file: PriceFile | null) {
  const book = createPriceBook({ file, maxModels: 5_000 });
  const find = ({ provider, api, baseUrl }: PricedProvider, model: string, at: Date): ListedPrice | null => {
    if (model.length > 256) return null;
    const found = book.find({ provider, api, baseUrl, model, at });
    const [chosen] = choosePrices(found, { provider, api, baseUrl, model, at }, file);
    if (chosen === undefined) return null;
    const { prices, more, version } = chosen;
    const all = { ...prices, ...more, ...prices };
    const entry = found.entries.find((each) => each.prices === prices);
    const source = entry ? 'prices_file' : prices === found.supplement?.prices ? 'supplement' : 'library';
    const since = entry?.from ?? findStart(found, prices);
    return { provider, model, prices: all, missing: listMissing(all), source, version, since };
  };
  const listEntries = (at: Date) =>
    (file?.entries.filter((entry) => holdsAt(entry, at)) ?? []).map((entry): ListedPrice => {
      const { provider = null, model, prices, from: since = null } = entry;
      const version = `${priceVersion} + ${file?.version}`;
      return { provider, model, prices, missing: listMissing(prices), source: 'prices_file', version, since };
    });
  const list = (providers: PricedProvider[], at: Date) => [
    ...providers.flatMap((each) => listModels(each).flatMap((model) => find(each, model, at) ?? [])),
    ...listEntries(at),
  ];
  return { find, list };
}
