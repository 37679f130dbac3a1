import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import { datedModels } from './dated-prices.ts';
import { units } from './figures.ts';
import {
  type AskedModel,
  createCatalogue,
  findKnownVendor,
  nameVersion,
  type PricedModel,
  priceVersion,
} from './merge.ts';
import { addsUnits, holdsAt, type PriceFile } from './price-file.ts';
import { findMissing } from './price-row.ts';
import { type OurEntry, ourModels, ourUnits, ourVersion } from './prices.ts';

type PricedProvider = Pick<AskedModel, 'provider' | 'api' | 'baseUrl'>;

export interface ListedPrice {
  /** Null for an entry of the file that holds for every provider. */
  provider: string | null;
  /** Or the beginning of several and `*`. */
  model: string;
  prices: ModelPrice;
  /** Units that the vendor bills and that have no price here. */
  missing: string[];
  source: 'prices_file' | 'library' | 'supplement';
  /** The price version of a call that uses all of these units. */
  version: string;
  since: Date | null;
}

function findStart({ listed }: PricedModel, chosen: ModelPrice): Date | null {
  const sets = listed?.model.prices;
  const constraint = Array.isArray(sets) ? sets.find(({ prices }) => prices === chosen)?.constraint : undefined;
  return constraint?.type === 'start_date' ? new Date(constraint.start_date) : null;
}

const ours = (vendor: string | null, rows: readonly Pick<OurEntry, 'provider' | 'model' | 'prices'>[]) =>
  rows.filter(({ provider }) => provider === vendor);

/** A provider that is only known by its format has no list: its own models have other names. */
function listModels(provider: PricedProvider): string[] {
  const vendor = findKnownVendor(provider);
  if (!vendor) return [];
  return [
    ...vendor.models.map(({ id }) => id),
    ...new Set(ours(vendor.id, [...ourModels, ...datedModels]).map(({ model }) => `${model}`)),
  ];
}

const known = new Set<string>(units.map(({ price }) => price));
const tokens = ['input_mtok', 'output_mtok'];
const toEdition = (model: string): string => model.replace(/-\d[\d.-]*$/, '');
const isPaid = (unit: string) => units.some((each) => each.price === unit && each.within.length === 0 && !each.isTool);
const free: ModelPrice = { input_mtok: 0, output_mtok: 0 };

function listBilled(vendor: string | null): Set<string> {
  const { models = [] } = (vendor !== null && findProvider({ providerId: vendor })) || {};
  const listed = models.flatMap(({ prices }) => (Array.isArray(prices) ? prices.map((set) => set.prices) : prices));
  const added = ours(vendor, [...ourModels, ...datedModels, ...ourUnits]).map(({ prices }) => prices);
  return new Set([...tokens, ...[...listed, ...added].flatMap((row) => Object.keys(row ?? {}))]);
}

/** `list` has all that the library lists of providers, and the file's entries; what both have is there twice, alike. */
export function createPriceLister(file: PriceFile | null) {
  const catalogue = createCatalogue(file, 5_000);
  const billed = new Map<string | null, Set<string>>();
  const listMissing = (prices: ModelPrice, vendor: string | null): string[] => {
    const ofVendor = billed.get(vendor) ?? listBilled(vendor);
    billed.set(vendor, ofVendor);
    return findMissing(prices).flatMap(({ price }) => (ofVendor.has(price) ? price : []));
  };
  const find = ({ provider, api, baseUrl }: PricedProvider, model: string, at: Date): ListedPrice | null => {
    if (model.length > 256) return null;
    const found = catalogue.find({ provider, api, baseUrl, model, at });
    const [row] = catalogue.resolve(found, at, []);
    if (row === undefined) return null;
    const isFree = Object.keys(row.base).length === 0;
    // The library has units that nobody counts, and some under two names.
    if (!isFree && !Object.keys(row.base).some((unit) => known.has(unit))) return null;
    const prices = isFree ? free : Object.fromEntries(Object.entries(row.prices).filter(([unit]) => known.has(unit)));
    const beside = row.beside.filter(({ version }) => !isFree || version !== ourVersion);
    const version = beside.reduce(nameVersion, row.version);
    const since = row.source.from ?? findStart(found, row.base);
    const missing = isFree ? [] : listMissing(prices, found.vendor);
    return { provider, model, prices, missing, source: row.source.name, version, since };
  };
  const listEntries = (providers: PricedProvider[], at: Date) =>
    (file?.entries.filter((entry) => holdsAt(entry, at) && !addsUnits(entry)) ?? []).map((entry): ListedPrice => {
      const { provider = null, model, prices, from: since = null } = entry;
      const version = `${priceVersion} + ${file?.version}`;
      const of = providers.find((each) => each.provider === provider);
      const missing = listMissing(prices, of ? catalogue.find({ ...of, model, at }).vendor : null);
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
