import { median } from '../median.ts';
import { quantile } from '../quantile.ts';

/** The shares of requests whose times are shown. */
const shares = [0.5, 0.9, 0.99, 0.999];
const columns = ['p50', 'p90', 'p99', 'p99.9', 'worst'];

/** The quantiles of some times, and the worst. NaN for one that would be no more than the worst of them. */
function toFigures(times: readonly number[]): number[] {
  const known = shares.map((share) => (times.length * (1 - share) < 1 ? Number.NaN : quantile(times, share)));
  return [...known, Math.max(...times)];
}

/** {@link toFigures} of each round, and of each figure the middle. */
export function medianFigures(rounds: readonly (readonly number[])[]): number[] {
  const each = rounds.map(toFigures);
  return columns.map((_, column) => median(each.map((figures) => figures[column] as number)));
}

const format = (value: number) => (Number.isNaN(value) ? '-' : value.toFixed(2)).padStart(8);

export function printHead(title: string): void {
  console.log(`\n${title.padEnd(34)}${columns.map((column) => column.padStart(8)).join('')}   ms`);
}

export function printFigures(name: string, figures: readonly number[]): void {
  console.log(`  ${name.padEnd(32)}${figures.map(format).join('')}`);
}

/** The differences of two rows. */
export function printAdded(name: string, figures: readonly number[], base: readonly number[]): void {
  printFigures(
    name,
    figures.map((figure, index) => figure - (base[index] as number)),
  );
}
