import type { ProviderApi } from '@agp/core/operations';
import { findProvider, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import { findSold, readBedrockRegion, type SoldModel } from './bedrock.ts';
import { type DatedEntry, datedModels, isInForce } from './dated-prices.ts';
import { countedUnits, type Usage } from './figures.ts';
import { isEdition, isGuess } from './guess.ts';
import { findEditions, findLibraryModel, type LibraryModel, readPricesAt } from './library-model.ts';
import { addsUnits, findEntries, holdsAt, isNamed, type PriceEntry, type PriceFile } from './price-file.ts';
import { compilePriceRow, type PriceRow } from './price-row.ts';
import { type OurEntry, ourModels, ourUnits, ourVersion } from './prices.ts';
import { builtInProviders } from './providers.ts';
import { listPrice, priceTiers, readHostTier, type TierPrice, type TokenFactor } from './tiers.ts';

export const priceVersion = 'genai-prices 0.1.8';

export interface AskedModel {
  provider: string;
  api: ProviderApi;
  baseUrl: string;
  model: string;
  /** When the call was made: some prices change by date or by time of day. */
  at: Date;
}

/** What one file has of a model. */
interface Source {
  name: 'prices_file' | 'library' | 'supplement';
  /** Null at a time for which it has none. */
  readPrices(at: Date): ModelPrice | null;
  tiers: Readonly<Record<string, ModelPrice>>;
  /** Whose times of the list price hold for tiers without prices of their own; null for none's. */
  vendor: string | null;
  version: string;
  /** Prices of units that `readPrices` leaves out. */
  more: ModelPrice;
  /** Its prices are those of a model whose name begins alike. */
  isGuess: boolean;
  /** A tier that the address or the model's name implies, and that the prices leave out; null for most. */
  implied: string | null;
  from: Date | null;
  merged: Map<ModelPrice, Map<string, MergedPrices>>;
}

export interface PricedModel {
  name: string;
  /** The library's id of the vendor whose prices apply; null if unknown. */
  vendor: string | null;
  /** The first that has prices at a time counts: the operator's file, the library, ours. */
  sources: readonly Source[];
  /** Entries of the operator's file that are added to whatever counts, the closest first. */
  added: readonly PriceEntry[];
  listed: LibraryModel | null;
  /** Dated editions that may answer for a bare name; some are dearer. */
  editions: readonly string[];
}

interface MergedPrices {
  prices: ModelPrice;
  compiled: PriceRow;
  /** Figures whose prices another file than the source adds. */
  beside: readonly { version: string; figures: readonly (keyof Usage)[] }[];
}

export interface ModelRow extends MergedPrices {
  source: Source;
  /** The source's own, without what others add. */
  base: ModelPrice;
  /** Its version, with the tier. */
  version: string;
}

/** Finds the vendor by the address, since its owner sends the bill; then by the configured name. */
export const findKnownVendor = ({
  provider,
  baseUrl,
}: Pick<AskedModel, 'provider' | 'baseUrl'>): Provider | undefined =>
  findProvider({ providerApiUrl: baseUrl }) ??
  findProvider({ providerId: readBedrockRegion(URL.parse(baseUrl)?.hostname ?? '') === null ? provider : 'aws' });

function findOurs(rows: readonly OurEntry[], vendor: string | undefined, model: string): OurEntry | undefined {
  return rows.find(
    ({ provider, model: name }) =>
      provider === vendor && (typeof name === 'string' ? isNamed(name, model) : name.test(model)),
  );
}

/** A name without the path that Google's other APIs and gateways put before it, if that names the vendor. */
function toPlainName(vendor: Provider, model: string): string {
  const path = /^(?:publishers\/)?(?:(?!models\/)([\w-]+)\/)?(?:models\/)?(?=[^/]+$)/.exec(model);
  return path && (path[1] ?? vendor.id) === vendor.id ? model.slice(path[0].length) : model;
}

function double(price: NonNullable<ModelPrice[string]>): ModelPrice[string] {
  if (typeof price === 'number') return price * 2;
  return { base: price.base * 2, tiers: price.tiers.map(({ start, price: above }) => ({ start, price: above * 2 })) };
}

/** OpenAI's models, at home and in Azure. */
const ofOpenai = new Set<string | undefined>(['openai', 'azure']);

/**
 * What Claude keeps for an hour costs twice the input wherever it runs; the library knows it of Anthropic alone. What OpenAI keeps for 12
 * hours costs twice what it keeps for 30 minutes (https://developers.openai.com/api/docs/models/gpt-6.2-sol).
 */
function findMore(vendor: string | undefined, model: string, listed: ModelPrice): ModelPrice {
  const { prices } = findOurs(ourUnits, vendor, model) ?? {};
  if (ofOpenai.has(vendor) && listed.cache_write_mtok)
    return { ...prices, cache_write_12h_mtok: double(listed.cache_write_mtok) };
  if (!model.includes('claude') || !listed.cache_write_mtok || !listed.input_mtok) return prices ?? {};
  return { ...prices, cache_write_1h_mtok: double(listed.input_mtok) };
}

/** Rows that hold at some time, in the order in which they count. */
const findDated = (vendor: string | undefined, model: string): readonly DatedEntry[] =>
  datedModels.filter((entry) => entry.provider === vendor && isEdition(entry.model, model));

const blank = { tiers: {}, more: {}, isGuess: false, from: null };

/** The maker's row, if its vendor has none of a model that it sells, or one of a model whose name begins alike. */
function findMakers(sold: SoldModel | null, own: LibraryModel | null, at: Date): LibraryModel | null {
  if (!sold?.maker || (own !== null && !isGuess(own.model, own.name))) return null;
  const maker = findProvider({ providerId: sold.maker });
  return maker ? findLibraryModel(maker, sold.name, at) : null;
}

function findModel(asked: AskedModel, file: PriceFile | null): PricedModel {
  const vendor = findKnownVendor(asked) ?? findProvider({ providerId: builtInProviders[asked.api].vendor });
  const sold = vendor?.id === 'aws' ? findSold(asked.model) : null;
  const name = sold?.id ?? asked.model;
  const named = (vendor && findLibraryModel(vendor, name, asked.at)) ?? null;
  const model = vendor && !named ? (sold?.base ?? toPlainName(vendor, name)) : name;
  const own = named ?? (vendor && findLibraryModel(vendor, model, asked.at)) ?? null;
  const makers = findMakers(sold, own, asked.at);
  const listed = makers ?? own;
  const ours = findOurs(ourModels, vendor?.id, model);
  const dated = findDated(vendor?.id, sold?.name ?? model);
  const names = sold ? [asked.model, sold.arn ?? sold.id, sold.id, sold.base, sold.name] : [asked.model];
  const entries = names.map((each) => findEntries(file?.entries ?? [], asked.provider, each));
  const found = entries.find((each) => each.length > 0) ?? [];
  const adds = listed || ours || dated.length > 0 || !found.every(addsUnits) ? addsUnits : () => false;
  const implied = readHostTier(asked.baseUrl);
  const sources: Source[] = [];
  const addSource = (source: Pick<Source, 'name' | 'readPrices' | 'version'> & Partial<Source>) =>
    sources.push({ ...blank, implied, vendor: vendor?.id ?? null, merged: new Map(), ...source });
  for (const entry of found.filter((each) => !adds(each))) {
    addSource({
      name: 'prices_file',
      readPrices: (at) => (holdsAt(entry, at) ? entry.prices : null),
      version: `${priceVersion} + ${file?.version}`,
      from: entry.from ?? null,
      ...(entry.service_tiers && { tiers: entry.service_tiers, vendor: null }),
    });
  }
  for (const entry of dated) {
    addSource({
      name: 'supplement',
      readPrices: (at) => (isInForce(entry, at) ? entry.prices : null),
      version: `${priceVersion} + ${ourVersion}`,
      implied: implied ?? sold?.implied ?? null,
      more: findMore(vendor?.id, model, entry.prices),
      from: entry.from ?? null,
    });
  }
  if (listed) {
    const more = findMore(vendor?.id, model, listed.prices);
    const readPrices = (at: Date) => readPricesAt(listed, at);
    addSource({
      name: 'library',
      readPrices,
      version: makers ? `${priceVersion} of ${sold?.maker}` : priceVersion,
      ...(makers && { implied: sold?.implied ?? null }),
      more,
      isGuess: isGuess(listed.model, listed.name),
    });
  }
  if (ours) {
    const version = `${priceVersion} + ${ourVersion}`;
    addSource({ name: 'supplement', readPrices: () => ours.prices, version, tiers: ours.service_tiers ?? {} });
  }
  return {
    name: asked.model,
    vendor: vendor?.id ?? null,
    sources,
    added: found.filter(adds),
    listed,
    editions: vendor ? findEditions(vendor, model) : [],
  };
}

/** The closest of what is added counts, then the source, then more; what is free stays so. */
function mergePrices(
  base: ModelPrice,
  added: readonly PriceEntry[],
  more: ModelPrice,
  factor: TokenFactor,
  file: string,
): MergedPrices {
  const own: ModelPrice = Object.assign({}, base, ...added.map(({ prices }) => prices).toReversed());
  const prices = Object.keys(base).length === 0 ? base : { ...own, ...more, ...own };
  const list = (version: string, isPriced: (price: string) => boolean) => {
    const figures = countedUnits.flatMap(({ price, figure }) => (isPriced(price) ? figure : []));
    return figures.length > 0 ? [{ version, figures }] : [];
  };
  const beside = [
    ...list(ourVersion, (price) => price in more && !(price in own)),
    ...list(file, (price) => added.some(({ prices: each }) => price in each)),
  ];
  return { prices, compiled: compilePriceRow(prices, factor), beside };
}

/** A record's version with that of another file that it took prices from. */
export const nameVersion = (version: string, { version: other }: { version: string }): string =>
  version.includes(other) ? version : `${version} + ${other}`;

/** @param maxModels how many are remembered: names come from callers, so there is no limit to them */
export function createCatalogue(file: PriceFile | null = null, maxModels = 1_000) {
  const models = new Map<string, PricedModel>();

  function find(asked: AskedModel): PricedModel {
    const key = JSON.stringify([asked.provider, asked.api, asked.baseUrl, asked.model]);
    const known = models.get(key);
    if (known !== undefined) return known;
    const found = findModel(asked, file);
    if (models.size >= maxModels) models.delete(models.keys().next().value ?? '');
    models.set(key, found);
    return found;
  }

  function makeRow(model: PricedModel, source: Source, base: ModelPrice, at: Date, tier: TierPrice): ModelRow {
    const added = model.added.filter((each) => holdsAt(each, at));
    const known = source.merged.get(base) ?? new Map<string, MergedPrices>();
    let key = tier.factor.join('/');
    for (const each of added) key += ` ${model.added.indexOf(each)}`;
    let merged = known.get(key);
    if (merged === undefined) {
      merged = mergePrices(base, added, source.more, tier.factor, file?.version ?? '');
      source.merged.set(base, known.set(key, merged));
    }
    return { source, base, version: source.version + tier.mark, ...merged };
  }

  /**
   * What a call is charged by at a time: the standard row, at the times of its tiers, or the dearest of the rows that
   * tiers have of their own; none if nothing is known. Callers name tiers.
   * @param isBound for all rows that it may be charged by if it asks for these tiers; `fast` comes only if asked
   */
  function resolve(model: PricedModel, at: Date, asked: readonly string[], isBound = false): ModelRow[] {
    for (const source of model.sources) {
      const tiers = source.implied === null ? asked : [...asked, source.implied];
      const standard = source.readPrices(at);
      if (standard === null) continue;
      const all = Object.keys(source.tiers).filter((tier) => tier !== 'fast' || asked.includes(tier));
      const own = (isBound ? all : tiers).flatMap((tier) => {
        const prices = Object.hasOwn(source.tiers, tier) ? source.tiers[tier] : undefined;
        return prices ? [makeRow(model, source, prices, at, { factor: listPrice, mark: `, ${tier}` })] : [];
      });
      if (own.length > 0 && !isBound) return own;
      return [makeRow(model, source, standard, at, priceTiers(tiers, source.vendor, model.name, at)), ...own];
    }
    return [];
  }

  return { find, resolve };
}
