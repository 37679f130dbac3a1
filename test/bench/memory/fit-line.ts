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
