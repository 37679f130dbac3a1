import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import { createPriceBook, type PricedCall, type PricedModel, priceVersion, supplement } from './price-book.ts';
import { holdsAt, type PriceFile } from './price-file.ts';
import { choosePrices } from './price-usage.ts';

export type PricedProvider = Pick<PricedCall, 'provider' | 'api' | 'baseUrl'>;

export interface ListedPrice {
  /** Null for an entry of the file that holds for every provider. */
  provider: string | null;
  /** Or the beginning of several and `*`. */
  model: string;
  prices: ModelPrice;
  source: 'prices_file' | 'library' | 'supplement';
  /** As calls at this price are recorded. */
  version: string;
  /** Null if the source names no date. */
  since: Date | null;
}

interface PriceLister {
  /** What a call of the standard tier costs; null if unpriced. */
  find(provider: PricedProvider, model: string, at: Date): ListedPrice | null;
  /** All that the file and, of these providers, the library lists. */
  list(providers: Iterable<PricedProvider>, at: Date): ListedPrice[];
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

export function createPriceLister(file: PriceFile | null): PriceLister {
  const book = createPriceBook({ file, maxModels: 5_000 });
  const find: PriceLister['find'] = ({ provider, api, baseUrl }, model, at) => {
    if (model.length > 256) return null;
    const found = book.find({ provider, api, baseUrl, model, at });
    const [chosen] = choosePrices(found, { provider, api, baseUrl, model, at }, file);
    if (chosen === undefined) return null;
    const { prices, version } = chosen;
    const entry = found.entries.find((each) => each.prices === prices);
    const source = entry ? 'prices_file' : prices === found.supplement?.prices ? 'supplement' : 'library';
    return { provider, model, prices, source, version, since: entry?.from ?? findStart(found, prices) };
  };
  return {
    find,
    list(providers, at) {
      const entries = (file?.entries ?? []).filter((entry) => holdsAt(entry, at));
      const version = `${priceVersion} + ${file?.version}`;
      const own = entries.map(
        ({ provider = null, model, prices, from: since = null }): ListedPrice => ({
          provider,
          model,
          prices,
          source: 'prices_file',
          version,
          since,
        }),
      );
      const named = new Set(own.map(({ provider, model }) => JSON.stringify([provider, model])));
      const others = [...providers].flatMap((each) =>
        listModels(each)
          .filter((model) => !named.has(JSON.stringify([each.provider, model])))
          .flatMap((model) => find(each, model, at) ?? []),
      );
      return [...own, ...others];
    },
  };
}
