import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import {
  createPriceBook,
  type PricedCall,
  type PricedModel,
  priceVersion,
  supplement,
  supplementVersion,
} from './price-book.ts';
import { addsUnits, holdsAt, type PriceFile } from './price-file.ts';
import { findMissing } from './price-row.ts';
import { choosePrices } from './price-usage.ts';
import { unitPrices } from './unit-prices.ts';
import { isTool, units } from './usage.ts';

export type PricedProvider = Pick<PricedCall, 'provider' | 'api' | 'baseUrl'>;

export interface ListedPrice {
  /** Null for an entry of the file that holds for every provider. */
  provider: string | null;
  /** Or the beginning of several and `*`. */
  model: string;
  prices: ModelPrice;
  /** Units that the vendor bills and that have no price here. */
  missing: string[];
  source: 'prices_file' | 'library' | 'supplement';
  /** As a call is recorded that uses all of these units. */
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

const known = new Set<string>(units.map(({ priceKey }) => priceKey));
const tokens = ['input_mtok', 'output_mtok'];
const toEdition = (model: string): string => model.replace(/-\d[\d.-]*$/, '');
const isPaid = (unit: string) =>
  units.some((each) => each.priceKey === unit && each.within.length === 0 && !isTool(each));
const free: ModelPrice = { input_mtok: 0, output_mtok: 0 };

function listBilled(vendor: string | null): Set<string> {
  const { models = [] } = (vendor !== null && findProvider({ providerId: vendor })) || {};
  const listed = models.flatMap(({ prices }) => (Array.isArray(prices) ? prices.map((set) => set.prices) : prices));
  const added = supplement.filter((row) => row.provider === vendor).map(({ prices }) => prices);
  const ours = ((vendor !== null && unitPrices[vendor]) || []).map(([, prices]) => prices);
  return new Set([...tokens, ...[...listed, ...added, ...ours].flatMap((row) => Object.keys(row ?? {}))]);
}

/** `list` has all that the library lists of providers, and the file's entries; what both have is there twice, alike. */
export function createPriceLister(file: PriceFile | null) {
  const book = createPriceBook({ file, maxModels: 5_000 });
  const billed = new Map<string | null, Set<string>>();
  const listMissing = (prices: ModelPrice, vendor: string | null): string[] => {
    const ofVendor = billed.get(vendor) ?? listBilled(vendor);
    billed.set(vendor, ofVendor);
    return findMissing(prices).flatMap(({ priceKey }) => (ofVendor.has(priceKey) ? priceKey : []));
  };
  const find = ({ provider, api, baseUrl }: PricedProvider, model: string, at: Date): ListedPrice | null => {
    if (model.length > 256) return null;
    const found = book.find({ provider, api, baseUrl, model, at });
    const [chosen] = choosePrices(found, { provider, api, baseUrl, model, at }, file);
    if (chosen === undefined) return null;
    const { prices: own, base = own, more = {}, added } = chosen;
    const isFree = Object.keys(own).length === 0;
    // The library has units that nobody counts, and some under two names.
    const all = Object.entries({ ...own, ...more, ...own }).filter(([unit]) => known.has(unit));
    if (!isFree && !Object.keys(own).some((unit) => known.has(unit))) return null;
    const prices: ModelPrice = isFree ? free : Object.fromEntries(all);
    let { version } = chosen;
    if (!isFree && !all.every(([unit]) => unit in own)) version += ` + ${supplementVersion}`;
    if (added?.length && file && !version.includes(file.version)) version += ` + ${file.version}`;
    const entry = found.entries.find((each) => each.prices === base);
    const source = entry ? 'prices_file' : base === found.supplement?.prices ? 'supplement' : 'library';
    const since = entry?.from ?? findStart(found, base);
    const missing = isFree ? [] : listMissing(prices, found.vendor);
    return { provider, model, prices, missing, source, version, since };
  };
  const listEntries = (providers: PricedProvider[], at: Date) =>
    (file?.entries.filter((entry) => holdsAt(entry, at) && !addsUnits(entry)) ?? []).map((entry): ListedPrice => {
      const { provider = null, model, prices, from: since = null } = entry;
      const version = `${priceVersion} + ${file?.version}`;
      const of = providers.find((each) => each.provider === provider);
      const missing = listMissing(prices, of ? book.find({ ...of, model, at }).vendor : null);
      return { provider, model, prices, missing, source: 'prices_file', version, since };
    });
  const list = (providers: PricedProvider[], at: Date) => [
    ...providers.flatMap((each) => listModels(each).flatMap((model) => find(each, model, at) ?? [])),
    ...listEntries(providers, at),
  ];
  /** What a model without a price is likely paid by: as another edition of it, else tokens. */
  const guessUnits = (of: PricedProvider, model: string, at: Date): string[] => {
    const edition = listModels(of).find((each) => toEdition(each) === toEdition(model));
    const paid = Object.keys((edition && find(of, edition, at)?.prices) ?? {}).filter(isPaid);
    return paid.length > 0 ? paid : tokens;
  };
  return { find, list, guessUnits };
}
