import { makeUsage, type Usage } from './figures.ts';
import { ownPrice } from './guess.ts';
import { type AskedModel, createCatalogue, type ModelRow, nameVersion } from './merge.ts';
import type { PriceFile } from './price-file.ts';
import { chargeUsage, listUnpriced } from './price-row.ts';
import { leastSeconds, tellsCharges } from './prices.ts';
import { readServiceTiers } from './tiers.ts';

export interface PricedCall extends AskedModel {
  usage: Usage;
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
  /** Units that were counted and have no price, by the names of their prices; the cost is that of the others. {@link ownPrice}: the cost is another model's. */
  unpricedUnits?: readonly string[];
}

/** Never throws. */
export type PriceUsage = (call: PricedCall) => UsagePrice;

const unpriced: UsagePrice = { costNanoUsd: 0, priceVersion: null, priced: false };

/** No call comes near it, in nano-dollars; a larger claim is a fault. */
export const mostCharged = 10_000_000_000_000;

const isCharge = (charge: number | undefined): charge is number =>
  charge !== undefined && charge >= 0 && charge <= mostCharged;

function chargeRow(row: ModelRow, usage: Usage, requests: number | undefined): UsagePrice[] {
  const costNanoUsd = chargeUsage(row.compiled, usage, requests);
  if (costNanoUsd === null) return [];
  const lacking = listUnpriced(row.compiled, usage);
  const isGuess = row.source.isGuess && costNanoUsd > 0;
  const unpricedUnits = isGuess ? [...(lacking ?? []), ownPrice] : lacking;
  const used = row.beside.filter(({ figures }) => figures.some((figure) => usage[figure] > 0));
  const priceVersion = used.reduce(nameVersion, row.version);
  return [{ costNanoUsd, priceVersion, priced: true, ...(unpricedUnits && { unpricedUnits }) }];
}

/** @param file the operator's @param maxModels how many are remembered */
export function createPriceUsage(file: PriceFile | null = null, maxModels?: number): PriceUsage {
  const catalogue = createCatalogue(file, maxModels);
  return (call) => {
    // No model has a longer name, and matching it against every pattern takes time.
    if (call.model.length > 256 || Number.isNaN(call.at.getTime())) return unpriced;
    const usage = makeUsage(call.usage);
    const model = catalogue.find(call);
    const rows = catalogue.resolve(model, call.at, readServiceTiers(call.serviceTier));
    if (isCharge(call.charge) && tellsCharges.has(model.vendor) && rows[0]?.source.name !== 'prices_file') {
      const priceVersion = `charged by ${model.vendor}`;
      return { costNanoUsd: Math.round(call.charge), priceVersion, priced: true, isCharge: true };
    }
    const least = (leastSeconds.get(model.vendor) ?? 0) * (call.requests ?? 1);
    if (usage.inputAudioSeconds > 0) usage.inputAudioSeconds = Math.max(usage.inputAudioSeconds, least);
    const charged = rows.flatMap((row) => chargeRow(row, usage, call.requests));
    return charged.reduce((a, b) => (b.costNanoUsd > a.costNanoUsd ? b : a), charged[0] ?? unpriced);
  };
}
