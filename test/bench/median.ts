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
