import type { ModelPrice } from '@agp/core/contracts';

const amounts: readonly (readonly [ending: RegExp, of: string])[] = [
  [/_mtok$/, ''],
  [/_mchars$/, ', a million characters'],
  [/_kcount$/, ', a thousand'],
  [/_hours$/, ', an hour'],
];

/** A unit of `PRICES_FILE` in words: `cache_write_1h_mtok` is `cache write 1h`, a million tokens each. */
export function namePrice(unit: string): string {
  const found = amounts.find(([ending]) => ending.test(unit));
  const name = found === undefined ? unit : unit.replace(found[0], '') + found[1];
  return name.replaceAll('_', ' ');
}

/** In USD, to the last digit, with the steps from which on it is another. */
export function describePrice(price: ModelPrice['prices'][string] | undefined): string {
  if (price === undefined) return '–';
  if (typeof price === 'number') return `$${price}`;
  const steps = price.tiers.map(({ start, price: above }) => `, above ${start / 1_000}k $${above}`);
  return `$${price.base}${steps.join('')}`;
}
