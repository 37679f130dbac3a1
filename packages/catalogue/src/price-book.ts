import { calcPrice, findProvider, type ModelInfo, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import { addsUnits, findEntries, type PriceEntry, type PriceFile } from './price-file.ts';
import { compilePriceRow, type PriceRow } from './price-row.ts';
import { readHostTier, type TokenFactor } from './service-tiers.ts';
import { findUnitPrices } from './unit-prices.ts';
import type { Usage } from './usage.ts';

export interface PricedCall {
  provider: string;
  api: 'openai' | 'anthropic' | 'gemini';
  baseUrl: string;
  model: string;
  usage: Usage;
  /** When the call was made: some prices change by date or by time of day. */
  at: Date;
  /** The tiers in which the provider says it served the call (`flex`, `fast+geo_us` ...); null if it names none. */
  serviceTier?: string | null;
  /** Requests that the usage is the sum of; 1 if not given. */
  requests?: number | undefined;
  /** What the provider says it charged, in nano-dollars; counts for {@link tellsCharges} unless the operator has prices. */
  charge?: number | undefined;
}

export interface UsagePrice {
  /** 0 if the model has no known price. */
  costNanoUsd: number;
  /** The library's version, the operator's file or our supplement, and the tier; null if unpriced. */
  priceVersion: string | null;
  priced: boolean;
  /** It is what the provider says it charged. */
  isCharge?: boolean;
  /** Units that were counted and have no price, by the names of their prices; the cost is that of the others. */
  unpricedUnits?: readonly string[];
}

/** Never throws. */
export type PriceUsage = (call: PricedCall) => UsagePrice;

export const priceVersion = 'genai-prices 0.1.8';

const vendors = { openai: 'openai', anthropic: 'anthropic', gemini: 'google' } as const;

interface LibraryModel {
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

/** Finds the vendor by the address, since its owner sends the bill; then by the configured name; then by the API. */
function findVendor(call: Pick<PricedCall, 'baseUrl' | 'provider' | 'api'>): Provider | null {
  return (
    findProvider({ providerApiUrl: call.baseUrl }) ??
    findProvider({ providerId: call.provider }) ??
    findProvider({ providerId: vendors[call.api] }) ??
    null
  );
}

function findLibraryModel(vendor: Provider, name: string, at: Date): LibraryModel | null {
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

/** Identifies the rows below in records. */
export const supplementVersion = 'supplement 2026-11-25';

/** @param models separated by spaces @param hour of the standard resolution, in USD, and of others by their names */
function priceVideos(provider: string, models: string, hour: number, others: Record<string, number> = {}) {
  const tiers = Object.entries(others).map(([name, price]) => [name, { output_video_hours: price }]);
  return models.split(' ').map((model) => ({
    provider,
    model,
    prices: { output_video_hours: hour },
    service_tiers: Object.fromEntries(tiers),
  }));
}

const pricePictures = (provider: string, models: string, thousand: number) =>
  models.split(' ').map((model) => ({ provider, model, prices: { output_images_kcount: thousand } }));

export const supplement: readonly (PriceEntry & { provider: string })[] = [
  // https://platform.openai.com/docs/pricing, speech generation: USD per million characters.
  { provider: 'openai', model: 'tts-1', prices: { input_mchars: 15 } },
  { provider: 'openai', model: 'tts-1-1106', prices: { input_mchars: 15 } },
  { provider: 'openai', model: 'tts-1-hd', prices: { input_mchars: 30 } },
  { provider: 'openai', model: 'tts-1-hd-1106', prices: { input_mchars: 30 } },
  // The same page, video: 0.10 USD a second, 0.30, 0.50 and 0.70.
  ...['openai', 'azure'].flatMap((provider) => [
    ...priceVideos(provider, 'sora-2 sora-2-2025-10-06 sora-2-2025-12-08', 360),
    ...priceVideos(provider, 'sora-2-pro sora-2-pro-2025-10-06', 1_080, { '1024p': 1_800, '1080p': 2_520 }),
  ]),
  // https://ai.google.dev/gemini-api/docs/pricing: a second of 0.40 USD and 0.60, 0.10 to 0.30, 0.05 and 0.08; a picture of 0.02 to 0.06.
  ...priceVideos('google', 'veo-3.1-generate-preview veo-3.1-generate-001', 1_440, { '1080p': 1_440, '4k': 2_160 }),
  ...priceVideos('google', 'veo-3.1-fast-generate-preview veo-3.1-fast-generate-001', 360, {
    '1080p': 432,
    '4k': 1_080,
  }),
  ...priceVideos('google', 'veo-3.1-lite-generate-preview veo-3.1-lite-generate-001', 180, { '1080p': 288 }),
  ...priceVideos('google', 'veo-3.0-generate-001 veo-3.0-generate-preview', 1_440, { '1080p': 1_440 }),
  ...priceVideos('google', 'veo-3.0-fast-generate-001 veo-3.0-fast-generate-preview', 540, { '1080p': 540 }),
  ...priceVideos('google', 'veo-2.0-generate-001', 1_260),
  ...pricePictures('google', 'imagen-4.0-generate-001 imagen-4.0-generate-preview-06-06', 40),
  ...pricePictures('google', 'imagen-4.0-fast-generate-001 imagen-4.0-fast-generate-preview-06-06', 20),
  ...pricePictures('google', 'imagen-4.0-ultra-generate-001 imagen-4.0-ultra-generate-preview-06-06', 60),
  ...pricePictures('google', 'imagen-3.0-generate-001 imagen-3.0-generate-002', 30),
  ...['gpt-5-search-api', 'gpt-5-search-api-2025-10-14'].map((model) => ({
    provider: 'openai',
    model,
    prices: { input_mtok: 1.25, cache_read_mtok: 0.125, output_mtok: 10, web_searches_kcount: 10 },
  })),
  // The same page, fine-tuned models.
  ...[
    ['ft:gpt-4.1-2025-04-14:*', 3, 0.75, 12] as const,
    ['ft:gpt-4.1-mini-2025-04-14:*', 0.8, 0.2, 3.2] as const,
    ['ft:gpt-4.1-nano-2025-04-14:*', 0.2, 0.05, 0.8] as const,
    ['ft:o4-mini-2025-04-16:*', 4, 1, 16] as const,
  ].map(([model, input_mtok, cache_read_mtok, output_mtok]) => ({
    provider: 'openai',
    model,
    prices: { input_mtok, cache_read_mtok, output_mtok },
  })),
  // https://cohere.com/pricing
  ...['rerank-v3.5', 'rerank-english-v3.0', 'rerank-multilingual-v3.0'].map((model) => ({
    provider: 'cohere',
    model,
    prices: { rerank_searches_kcount: 2 },
  })),
];

/** The sources of prices of a provider's model, in the order in which they count. */
export interface PricedModel {
  entries: readonly PriceEntry[];
  /** Closest first; they are added to whatever else counts. */
  added: readonly PriceEntry[];
  vendor: string | null;
  /** The tier that the address implies; null for most. */
  hostTier: string | null;
  listed: LibraryModel | null;
  /** Dated editions that may answer for a bare name; some are dearer. */
  editions: readonly string[];
  supplement: PriceEntry | null;
  /** Prices of further units than the listed ones. */
  unitPrices: ModelPrice | null;
}

export type AskedModel = Pick<PricedCall, 'provider' | 'api' | 'baseUrl' | 'model' | 'at'>;

export interface PriceBookOptions {
  file?: PriceFile | null;
  /** How many models are remembered: names come from callers, so there is no limit to them. */
  maxModels?: number;
}

interface PriceBook {
  find(asked: AskedModel): PricedModel;
  /** @param more prices for what `prices` has none for */
  compile(prices: ModelPrice, factor: TokenFactor, more?: ModelPrice): PriceRow;
}

const nothing: ModelPrice = Object.freeze({});

function findEditions(vendor: Provider, model: string): string[] {
  const edition = `${model.toLowerCase()}-`;
  const names = vendor.models.map(({ id }) => id);
  return names.filter((id) => id.toLowerCase().startsWith(edition) && /^\d{4}[\d-]*$/.test(id.slice(edition.length)));
}

const isNamed = ({ model: name }: PriceEntry, model: string): boolean =>
  name === model || (name.endsWith('*') && model.startsWith(name.slice(0, -1)));

/** A name without the path that Google's other APIs and gateways put before it, if that names the vendor. */
function toPlainName(vendor: Provider, model: string): string {
  const path = /^(?:publishers\/)?(?:(?!models\/)([\w-]+)\/)?(?:models\/)?(?=[^/]+$)/.exec(model);
  return path && (path[1] ?? vendor.id) === vendor.id ? model.slice(path[0].length) : model;
}

function findModel(asked: AskedModel, file: PriceFile | null): PricedModel {
  const vendor = findVendor(asked);
  const own = vendor && findLibraryModel(vendor, asked.model, asked.at);
  const model = vendor && !own ? toPlainName(vendor, asked.model) : asked.model;
  const listed = vendor && (own ?? findLibraryModel(vendor, model, asked.at));
  const found = file ? findEntries(file.entries, asked.provider, asked.model) : [];
  const ours = supplement.find((row) => row.provider === vendor?.id && isNamed(row, model)) ?? null;
  const adds = listed || ours || !found.every(addsUnits) ? addsUnits : () => false;
  return {
    entries: found.filter((entry) => !adds(entry)),
    added: found.filter(adds),
    vendor: vendor?.id ?? null,
    hostTier: readHostTier(asked.baseUrl),
    listed,
    editions: vendor ? findEditions(vendor, model) : [],
    supplement: ours,
    unitPrices: findUnitPrices(vendor?.id ?? null, model, listed?.prices ?? null),
  };
}

export function createPriceBook({ file = null, maxModels = 1_000 }: PriceBookOptions): PriceBook {
  const models = new Map<string, PricedModel>();
  const rows = new WeakMap<ModelPrice, Map<string, WeakMap<ModelPrice, PriceRow>>>();
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
    compile(prices, factor, more = nothing) {
      const name = factor.join('/');
      const byFactor = rows.get(more) ?? new Map<string, WeakMap<ModelPrice, PriceRow>>();
      const compiled = byFactor.get(name) ?? new WeakMap<ModelPrice, PriceRow>();
      let row = compiled.get(prices);
      if (!row) {
        const isFree = Object.keys(prices).length === 0;
        row = compilePriceRow(isFree ? prices : { ...more, ...prices }, factor);
        rows.set(more, byFactor.set(name, compiled.set(prices, row)));
      }
      return row;
    },
  };
}
