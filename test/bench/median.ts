/** The middle of some values, or the mean of the two in the middle. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below, above] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return ((below ?? Number.NaN) + (above ?? Number.NaN)) / 2;
}
