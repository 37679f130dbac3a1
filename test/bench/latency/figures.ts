import { readArguments } from '../read-arguments.ts';
import { median, quantile } from '../statistics.ts';

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

export interface LatencyOptions {
  /** Requests a second. */
  rates: number[];
  /** Streams begun a second; 0 measures none. */
  streams: number;
  rounds: number;
  /** Of each rate, target and round. */
  seconds: number;
  seed: number;
  agents: number;
  placement: 'apart' | 'free';
}

/** Reads the options of the command line. Throws where a rate is no number, or a placement is unknown. */
export function readOptions(): LatencyOptions {
  const { rates, placement, ...numbers } = readArguments('bench:latency', {
    rates: '50,200,800',
    streams: 20,
    rounds: 3,
    seconds: 2.5,
    seed: 1,
    agents: 20,
    placement: 'apart',
  });
  if (placement !== 'apart' && placement !== 'free') throw new Error('--placement: apart or free');
  const toRate = (text: string) => {
    if (!(Number(text) > 0)) throw new Error(`--rates: "${text}" is no number above 0`);
    return Number(text);
  };
  return { ...numbers, rates: rates.split(',').filter(Boolean).map(toRate), placement };
}
