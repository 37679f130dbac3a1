import {
  createPriceLister,
  isToolPrice,
  type ListedPrice,
  listProviders,
  ownPrice,
  parsePriceFile,
  parseProvidersFile,
} from '@agp/catalogue';
import type { ModelPrice, PriceListQuery } from '@agp/core/contracts';
import { type Db, listUnpricedModels, listUsage } from '@agp/db';
import { readSettingFile } from '@agp/runtime';
import type { ManagementConfig } from '@agp/settings';

export interface PriceReader {
  (db: Db, query: PriceListQuery): Promise<ModelPrice[]>;
  /** Ids of all that there are. */
  readonly providers: readonly string[];
  /** @throws ConfigError if PRICES_FILE is refused; what was read before holds */
  readAgain(): void;
}

const dayMs = 86_400_000;

/** The most used models that are priced by name, the dearest: names come from callers. */
const mostUsed = 500;

const keyOf = ({ provider, model }: Pick<ModelPrice, 'provider' | 'model'>) => JSON.stringify([provider, model]);

const tokens = ['input_mtok', 'output_mtok'];

const isNamed = (unit: string | null) => unit !== 'other_models' && unit !== ownPrice;

const undated = { since: null, unpriced_at: null };

function presentPrice({ version, since, ...price }: ListedPrice): ModelPrice {
  const dates = { ...undated, since: since?.toISOString() ?? null };
  return { ...price, price_version: version, ...dates, add: null } as ModelPrice;
}

function presentUnpriced(provider: string, model: string): ModelPrice {
  return { provider, model, prices: {}, missing: [], source: null, price_version: null, ...undated, add: null };
}

/**
 * With the entry that prices the units, and the known ones too if it would replace them; refused as it is: with zeros, who forgets to
 * fill it in would have a free model.
 * @param isGuess its prices are those of an older model
 */
function addUnits(row: ModelPrice, lacking: string[], isGuess: boolean): ModelPrice {
  const { prices, provider, model } = row;
  const unknown = lacking.filter((unit) => prices[unit] === undefined);
  const missing = [...new Set([...row.missing, ...unknown])];
  if (isGuess) unknown.push(...tokens);
  if (unknown.length === 0 || model.includes('*') || model === 'other') return { ...row, missing };
  const nulls = Object.fromEntries(unknown.map((unit) => [unit, null]));
  const isAdded = row.source !== 'prices_file' && unknown.every(isToolPrice);
  return {
    ...row,
    missing,
    add: JSON.stringify({ provider, model, prices: isAdded ? nulls : { ...prices, ...nulls } }),
  };
}

/** @throws ConfigError if a file cannot be read */
export function createPriceReader(config: Partial<ManagementConfig>, environment: NodeJS.ProcessEnv): PriceReader {
  const entries = readSettingFile('PROVIDERS_FILE', config.providersFile, parseProvidersFile) ?? [];
  const known = [...listProviders(entries, environment).values()];
  const providers = new Map(
    known.map(({ id, api, baseUrl }) => [id, { provider: id, api, baseUrl: baseUrl.href }] as const),
  );
  const openList = () => createPriceLister(readSettingFile('PRICES_FILE', config.pricesFile, parsePriceFile));
  let prices = openList();
  /** What calls used whose prices had nothing of it. */
  const listUnnamed = ({ provider, model, source, prices: known }: ModelPrice, now: Date): string[] => {
    const of = providers.get(provider ?? '');
    if (source === null && of) return prices.guessUnits(of, model, now);
    const isMended = source === 'prices_file' || tokens.some((unit) => known[unit] !== undefined);
    return isMended ? [] : tokens;
  };
  const read = async (db: Db, { provider: ofProvider, model: named, search = '', limit, offset }: PriceListQuery) => {
    const now = new Date();
    const from = new Date(Math.floor(now.getTime() / dayMs) * dayMs - 30 * dayMs);
    const unpriced = (await listUnpricedModels(db)).filter(({ last_seen_at }) => last_seen_at >= from);
    const used: { provider?: string | undefined; model?: string | undefined }[] =
      named === undefined ? [] : [...providers.keys()].map((provider) => ({ provider, model: named }));
    for await (const page of listUsage(db, { groups: ['provider', 'model'], from, top: mostUsed })) used.push(...page);
    const rows = new Map(prices.list([...providers.values()], now).map((row) => [keyOf(row), presentPrice(row)]));
    for (const { provider = '', model = '' } of [...used, ...unpriced]) {
      const known = rows.has(keyOf({ provider, model })) ? undefined : providers.get(provider);
      const found = known && prices.find(known, model, now);
      if (found) rows.set(keyOf(found), presentPrice(found));
    }
    const units = Map.groupBy(unpriced, keyOf);
    const first = [...units.entries()].map(([key, [one, ...others]]): ModelPrice => {
      const all = one === undefined ? [] : [one, ...others];
      const { provider = '', model = '' } = one ?? {};
      const row = rows.get(key) ?? presentUnpriced(provider, model);
      rows.delete(key);
      const unnamed = listUnnamed(row, now);
      const lacking = all.flatMap(({ unit }) => (isNamed(unit) ? (unit ?? unnamed) : []));
      const at = Math.max(...all.map(({ last_seen_at }) => last_seen_at.getTime()));
      const isGuess = row.source === 'library' && all.some(({ unit }) => unit === ownPrice);
      return { ...addUnits(row, lacking, isGuess), unpriced_at: new Date(at).toISOString() };
    });
    first.sort((one, other) => Number(one.source !== null) - Number(other.source !== null));
    const others = [...rows.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const isWanted = ({ provider, model }: ModelPrice) =>
      provider === (ofProvider ?? provider) &&
      model === (named ?? model) &&
      model.toLowerCase().includes(search.toLowerCase());
    return [...first, ...others].filter(isWanted).slice(offset, limit && offset + limit);
  };
  return Object.assign(read, {
    providers: [...providers.keys()],
    readAgain: () => {
      prices = openList();
    },
  });
}
