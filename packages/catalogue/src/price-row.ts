import type { ModelPrice } from '@pydantic/genai-prices';
import { type CountedUnit, countedUnits, type Unit, type Usage, units } from './figures.ts';
import { listPrice, type TokenFactor } from './tiers.ts';

interface Rate {
  readonly above: number;
  readonly nano: bigint;
}

interface Term {
  readonly unit: Unit;
  readonly rates: readonly [Rate, ...Rate[]];
  /** Places of the later terms whose count this one's is part of. */
  readonly within: readonly number[];
}

export interface PriceRow {
  readonly scale: bigint;
  readonly terms: readonly Term[];
  /** The row has no price at all, which is how the library lists a free model. */
  readonly free: boolean;
  /** Whole units without a price. */
  readonly missing: readonly CountedUnit[];
}

function toDecimal(value: number): { digits: bigint; places: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/** A unit that is part of two others and has no price of its own has that of the first, so that it is not charged in both. */
function priceOf(prices: ModelPrice, { price, within }: Unit): ModelPrice[string] {
  const [first, second, all] = within;
  return prices[price] ?? (first && second && all ? prices[first] : undefined);
}

/** Parts of input and output without a price cost as the rest. */
export const findMissing = (prices: ModelPrice): CountedUnit[] =>
  countedUnits.filter(({ price, within }) => within.length === 0 && prices[price] === undefined);

/** Whole numbers once, so that no float is ever added. @param factor of tokens, and nothing else */
export function compilePriceRow(prices: ModelPrice, [times, of]: TokenFactor = listPrice): PriceRow {
  const decimals: { unit: Unit; rates: { above: number; digits: bigint; places: number }[] }[] = [];
  for (const unit of units) {
    const price = priceOf(prices, unit);
    if (price === undefined) continue;
    const steps =
      typeof price === 'number'
        ? [{ above: -1, price }]
        : [{ above: -1, price: price.base }, ...price.tiers.map((tier) => ({ above: tier.start, price: tier.price }))];
    decimals.push({ unit, rates: steps.map((step) => ({ above: step.above, ...toDecimal(step.price) })) });
  }
  const places = Math.max(0, ...decimals.flatMap((term) => term.rates.map((rate) => rate.places)));
  const parts = [...new Set(decimals.map(({ unit }) => unit.per))].reduce((product, per) => product * per, 1n);
  const terms = decimals.map(({ unit, rates }) => {
    const share = ((unit.nano * parts) / unit.per) * (unit.isToken ? times : of);
    const [base, ...tiers] = rates
      .map((rate) => ({ above: rate.above, nano: rate.digits * 10n ** BigInt(places - rate.places) * share }))
      .sort((a, b) => a.above - b.above);
    if (base === undefined) throw new TypeError('a price has no rate');
    const within = unit.within.map((whole) => decimals.findIndex((term) => term.unit.price === whole));
    return { unit, rates: [base, ...tiers] as const, within: within.filter((place) => place >= 0) };
  });
  const free = Object.keys(prices).length === 0;
  return { scale: of * parts * 10n ** BigInt(places), terms, free, missing: free ? [] : findMissing(prices) };
}

/** What is billed by the hour, page or picture has no price of its tokens or characters. */
function isBilledOtherwise({ terms }: PriceRow, usage: Usage, unit: Unit): boolean {
  if (!unit.isToken && unit.figure !== 'inputCharacters') return false;
  return terms.some(({ unit: other }) => {
    const count = other.figure === 'requests' ? 1 : usage[other.figure];
    return count > 0 && !other.isTool && !(other.isToken && unit.isToken);
  });
}

/** Names of the units that were used and have no price; undefined if all have. */
export function listUnpriced(row: PriceRow, usage: Usage): string[] | undefined {
  let found: string[] | undefined;
  for (const unit of row.missing) {
    if (usage[unit.figure] === 0 || isBilledOtherwise(row, usage, unit)) continue;
    found = [...(found ?? []), unit.price];
  }
  return found;
}

/**
 * In nano-dollars, rounded once, halves up; null if something was used and the row has no price for any of it.
 * @param requests that the usage is the sum of: what a price is from some size on follows the size of one
 */
export function chargeUsage(row: PriceRow, usage: Usage, requests = 1): number | null {
  const inParts = new Array<number>(row.terms.length).fill(0);
  let scaled = 0n;
  let metered = false;
  for (let place = 0; place < row.terms.length; place += 1) {
    const { unit, rates, within } = row.terms[place] as Term;
    const count = unit.figure === 'requests' ? requests : usage[unit.figure];
    const charged = count - (inParts[place] as number);
    if (!(charged > 0)) continue;
    metered = true;
    for (const whole of within) inParts[whole] = (inParts[whole] as number) + charged;
    let rate = rates[0];
    for (const step of rates) if (usage.promptTokens > step.above * requests) rate = step;
    scaled += BigInt(charged) * rate.nano;
  }
  if (!metered && !row.free && (row.terms.length === 0 || Object.values(usage).some((count) => count > 0))) return null;
  const nano = (scaled + row.scale / 2n) / row.scale;
  return nano < Number.MAX_SAFE_INTEGER ? Number(nano) : Number.MAX_SAFE_INTEGER;
}
