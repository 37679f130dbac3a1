import { boundCharge, type UsageLimits } from './bound-charge.ts';
import { readPricesAt } from './library-prices.ts';
import { type AskedModel, createPriceBook, type PriceBookOptions, type PricedModel } from './price-book.ts';
import { holdsAt } from './price-file.ts';
import type { PriceRow } from './price-row.ts';

/** Bounds of what calls of a model may cost. */
export interface ModelBounds {
  /** The library's id of the vendor whose prices apply; null if unknown. */
  vendor: string | null;
  /** Tokens of the largest input that the model takes. */
  largestInput: number;
  /** Whether a service tier other than the standard one has a price in the operator's file. */
  hasTier(tier: string): boolean;
  /**
   * The most that a call within limits may cost, in whole nano-dollars, at the dearest tier that it may be served with;
   * null if that is not known.
   *
   * @param isFast whether the caller asks for the tier `fast`, which is never given unasked
   */
  charge(limits: UsageLimits, isFast: boolean): number | null;
}

/** Finds the bounds of a model; null if its price is not known. */
export type FindModelBounds = (asked: AskedModel) => ModelBounds | null;

/** The largest context that is sold, in tokens: no single run of a model reads more. */
export const largestContext = 2_097_152;

/** More than models write in one answer unless they are asked for more, in tokens (128 thousand is the most in use). */
export const largestOutput = 131_072;

/** Price lists round the sizes of contexts, down as often as up. */
const listedShare = 1.25;

/** Claude's context with a header of Anthropic's, which lists do not mention. */
const largestOfClaude = 1_048_576;

function readLargestInput({ listed }: PricedModel): number {
  const window = listed?.model.context_window;
  if (!listed || window === undefined) return largestContext;
  // A price for input beyond the listed size: one of the two must be wrong.
  const hasMore = Object.values(listed.prices).some(
    (price) => typeof price === 'object' && price.tiers.some(({ start }) => start >= window),
  );
  if (hasMore) return largestContext;
  const least = listed.name.includes('claude') ? largestOfClaude : 0;
  return Math.min(largestContext, Math.ceil(Math.max(window, least) * listedShare));
}

/** Makes the function that finds bounds, from the same prices as calls are charged by. */
export function createFindModelBounds(options: PriceBookOptions = {}): FindModelBounds {
  const book = createPriceBook(options);

  function findRows(model: PricedModel, at: Date, isFast: boolean): PriceRow[] {
    const entry = model.entries.find((each) => holdsAt(each, at));
    const tiers = Object.entries(entry?.service_tiers ?? {}).filter(([tier]) => tier !== 'fast' || isFast);
    const listed = entry ? null : model.listed && readPricesAt(model.listed, at);
    const prices = [entry?.prices ?? listed ?? model.supplement?.prices, ...tiers.map(([, row]) => row)];
    return prices.flatMap((row) => (row ? [book.compile(row, false)] : []));
  }

  return (asked) => {
    if (asked.model.length > 256 || Number.isNaN(asked.at.getTime())) return null;
    const model = book.find(asked);
    if (findRows(model, asked.at, false).length === 0) return null;
    const models = [model, ...model.editions.map((name) => book.find({ ...asked, model: name }))];
    return {
      vendor: model.vendor,
      largestInput: Math.max(...models.map(readLargestInput)),
      hasTier: (tier) => {
        const entry = model.entries.find((each) => holdsAt(each, asked.at));
        return Object.hasOwn(entry?.service_tiers ?? {}, tier);
      },
      charge(limits, isFast) {
        const rows = models.flatMap((each) => findRows(each, asked.at, isFast));
        const charges = rows.map((row) => boundCharge(row, limits));
        return charges.includes(null) ? null : Math.max(...(charges as number[]));
      },
    };
  };
}
