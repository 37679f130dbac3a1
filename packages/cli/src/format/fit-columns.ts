/** A column before its width is decided. */
export interface Wanted {
  /** Columns of the terminal that its widest cell takes. */
  width: number;
  /** The least that it is useful with; its whole width if absent. */
  least?: number | undefined;
  /** Where there is no room, the column with the highest number is left out first; absent: never. */
  spare?: number | undefined;
}

/** Spaces between two columns. */
export const gap = 2;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const leastOf = ({ width, least = width }: Wanted) => Math.min(width, least);

/** Whether all columns have room at their whole width. */
export function fits(columns: readonly Wanted[], room: number): boolean {
  return sum(columns.map(({ width }) => width)) + gap * (columns.length - 1) <= room;
}

/** Takes from the widest until all fit. */
function shrink(widths: number[], room: number): number[] {
  const fitted = [...widths];
  for (let over = sum(fitted) - room; over > 0; over -= 1) {
    const widest = fitted.indexOf(Math.max(...fitted));
    fitted[widest] = Math.max(1, (fitted[widest] as number) - 1);
  }
  return fitted;
}

/**
 * Decides how wide each column of a table is. Those to spare go until all others have the least they need; what is left over goes to the
 * narrowest that want more.
 *
 * @param room columns of the terminal
 * @returns a width for each, null for one that is left out
 */
export function fitColumns(columns: readonly Wanted[], room: number): (number | null)[] {
  const kept = new Set(columns);
  const free = (widthOf: (column: Wanted) => number) => room - gap * (kept.size - 1) - sum([...kept].map(widthOf));
  if (fits(columns, room)) return columns.map(({ width }) => width);
  const spares = columns
    .filter(({ spare }) => spare !== undefined)
    .toSorted((a, b) => Number(b.spare) - Number(a.spare));
  for (const column of spares) {
    if (free(leastOf) >= 0 || kept.size === 1) break;
    kept.delete(column);
  }
  const widths = new Map(
    shrink([...kept].map(leastOf), room - gap * (kept.size - 1)).map((width, at) => [[...kept][at] as Wanted, width]),
  );
  for (let left = free((column) => widths.get(column) ?? 0); left > 0; left -= 1) {
    const [narrowest] = [...kept]
      .filter((column) => (widths.get(column) as number) < column.width)
      .toSorted((a, b) => (widths.get(a) as number) - (widths.get(b) as number));
    if (narrowest === undefined) break;
    widths.set(narrowest, (widths.get(narrowest) as number) + 1);
  }
  return columns.map((column) => widths.get(column) ?? null);
}
