import { cpus, loadavg } from 'node:os';

/** The middle of some values, or the mean of the two in the middle. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below, above] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return ((below ?? Number.NaN) + (above ?? Number.NaN)) / 2;
}

/** {@link median} of each figure of some rounds. */
export function medianOfEach<Figure extends string>(
  rounds: readonly Record<Figure, number>[],
  figures: readonly Figure[],
): Record<Figure, number> {
  return Object.fromEntries(figures.map((figure) => [figure, median(rounds.map((round) => round[figure]))])) as Record<
    Figure,
    number
  >;
}

/** The value that a share of the values is not above. NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The machine, and what it did in the last minute: figures of a busy one say little. */
export function describeMachine(): string {
  const [load = 0] = loadavg();
  return `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}, load of the last minute ${load.toFixed(1)}`;
}

export interface Line {
  /** What y grows by for each 1 of x. */
  slope: number;
  /** The slope's standard error. */
  error: number;
  /** The middle of y. */
  mean: number;
}

/** Fits a line to points by least squares. NaN of less than three points. */
export function fitLine(points: readonly (readonly [x: number, y: number])[]): Line {
  const count = points.length;
  const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const [middleX, mean] = [meanOf(points.map(([x]) => x)), meanOf(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - mean), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - mean - slope * (x - middleX)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (count - 2) / spread), mean };
}
