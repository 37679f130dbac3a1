import type { ModelPrice, Provider } from '@pydantic/genai-prices';
import { findLibraryModel, findVendor, type LibraryModel } from './library-prices.ts';
import { findEntries, type PriceEntry, type PriceFile } from './price-file.ts';
import { compilePriceRow, type PriceRow } from './price-row.ts';
import type { PricedCall } from './priced-call.ts';
import { supplement } from './supplement.ts';

/** The sources of prices of a provider's model, in the order in which they count. */
export interface PricedModel {
  /** From the operator's file, the closest first. */
  entries: readonly PriceEntry[];
  /** The library's id of the vendor whose list the rest is from. */
  vendor: string | null;
  listed: LibraryModel | null;
  /** Dated editions that may answer for a bare name; some are dearer. */
  editions: readonly string[];
  supplement: PriceEntry | null;
}

/** A model of a provider, and the time of the request. */
export type AskedModel = Pick<PricedCall, 'provider' | 'api' | 'baseUrl' | 'model' | 'at'>;

export interface PriceBookOptions {
  /** Prices that override all others. */
  file?: PriceFile | null;
  /** How many models are remembered: names come from callers, so there is no limit to them. */
  maxModels?: number;
}

/** Looks models up and remembers them. */
export interface PriceBook {
  find(asked: AskedModel): PricedModel;
  /** @param half whether tokens cost half of the prices */
  compile(prices: ModelPrice, half: boolean): PriceRow;
}

function findEditions(vendor: Provider, model: string): string[] {
  const edition = `${model.toLowerCase()}-`;
  const names = vendor.models.map(({ id }) => id);
  return names.filter((id) => id.toLowerCase().startsWith(edition) && /^\d{4}[\d-]*$/.test(id.slice(edition.length)));
}

function findModel(asked: AskedModel, file: PriceFile | null): PricedModel {
  const vendor = findVendor(asked);
  const listed = vendor && findLibraryModel(vendor, asked.model, asked.at);
  return {
    entries: file ? findEntries(file.entries, asked.provider, asked.model) : [],
    vendor: vendor?.id ?? null,
    listed,
    editions: vendor ? findEditions(vendor, asked.model) : [],
    supplement: supplement.find(({ provider, model }) => provider === vendor?.id && model === asked.model) ?? null,
  };
}

export function createPriceBook({ file = null, maxModels = 1_000 }: PriceBookOptions): PriceBook {
  const models = new Map<string, PricedModel>();
  const rows = { full: new WeakMap<ModelPrice, PriceRow>(), half: new WeakMap<ModelPrice, PriceRow>() };
  return {
    find(asked) {
      const key = JSON.stringify([asked.provider, asked.api, asked.baseUrl, asked.model]);
      const known = models.get(key);
      if (known !== undefined) return known;
      const found = findModel(asked, file);
      if (models.size >= maxModels) models.delete(models.keys().next().value ?? '');
      models.set(key, found);
      return found;
    },
    compile(prices, half) {
      const compiled = half ? rows.half : rows.full;
      let row = compiled.get(prices);
      if (!row) {
        row = compilePriceRow(prices, half);
        compiled.set(prices, row);
      }
      return row;
    },
  };
}
