import type { ModelPrice } from '@agp/core/contracts';

type Price = ModelPrice['prices'][string];

const amounts: readonly (readonly [ending: RegExp, of: string])[] = [
  [/_mtok$/, ''],
  [/_mchars$/, ' (a million characters)'],
  [/_kcount$/, ' (a thousand)'],
  [/_kpages$/, ' pages (a thousand)'],
  [/_mtok_hours$/, ' (a million tokens, an hour)'],
  [/_hours$/, ' (an hour)'],
];

/** A unit of `PRICES_FILE` in words; without an amount it is a million tokens. */
export function namePrice(unit: string): string {
  const found = amounts.find(([ending]) => ending.test(unit));
  const name = found === undefined ? unit : unit.replace(found[0], '') + found[1];
  return name.replaceAll('_', ' ');
}

/** In USD, to the last digit: rounded, the prices of small models would be equal. */
export function showPrice(price: Price | undefined): string {
  if (price === undefined) return '–';
  return `$${typeof price === 'number' ? price : price.base}`;
}

const columned = new Set(['input_mtok', 'output_mtok', 'cache_read_mtok']);

/** Prices of units beside the common three, and what any costs above so much input. */
export function listFurther(prices: ModelPrice['prices']): string[] {
  return Object.entries(prices).flatMap(([unit, price]) => [
    ...(columned.has(unit) ? [] : [`${namePrice(unit)} ${showPrice(price)}`]),
    ...(typeof price === 'number' ? [] : price.tiers).map(
      ({ start, price: above }) => `${namePrice(unit)} above ${start / 1_000}k ${showPrice(above)}`,
    ),
  ]);
}
