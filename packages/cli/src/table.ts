import type { Stop } from '@agp/core/contracts';
import { formatCount, roundUsd } from '@agp/core/explain';
import { shortenId, toLineText } from '@agp/core/text';
import stringWidth from 'string-width';
import type { Paint, Style } from './terminal.ts';

/** UTF-16 units shown of a value: all of an agent's metadata. */
const maxShown = 32_768;
/** Spaces between two columns. */
const gap = 2;

/** One column: its heading, and the text that it shows for a row. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => string;
  /** The same in fewer characters, for a terminal that is too narrow for all columns. */
  brief?: (row: Row) => string;
  /** Aligns to the right, for numbers. */
  right?: boolean;
  style?: (row: Row) => Style | undefined;
  /** On a narrow terminal it may shrink to so many columns; not at all if absent. */
  least?: number;
  /** On a narrow terminal the column with the highest number is left out first; absent: never. */
  spare?: number;
}

export interface Table {
  text: string;
  /** Headings of the columns that had no room. */
  omitted: string[];
}

/** Columns of a terminal that a line takes. */
export const measureText = (text: string): number => stringWidth(text);

/** Ends with an ellipsis if something is missing. */
function cutText(text: string, width: number): string {
  if (measureText(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const character of text) {
    left -= measureText(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Puts cells beside each other, each in its width. @param right which ones align to the right */
function drawRow(cells: readonly string[], widths: readonly number[], right: readonly boolean[] = []): string {
  const padded = cells.map((cell, at) => {
    const padding = ' '.repeat(Math.max(0, (widths[at] ?? 0) - measureText(cell)));
    return right[at] ? padding + cell : cell + padding;
  });
  return padded.join(' '.repeat(gap)).trimEnd();
}

/** Leaves columns out until the others have the least they need, then takes from the widest that may shrink until all fit. */
function fitColumns<Wanted extends { width: number; least?: number; spare?: number }>(
  columns: readonly Wanted[],
  room: number,
): { kept: Wanted[]; widths: number[] } {
  const sum = (kept: readonly Wanted[], widthOf: (column: Wanted) => number) =>
    kept.reduce((total, column) => total + widthOf(column) + gap, -gap);
  const leastOf = ({ width, least = width }: Wanted) => Math.min(width, least);
  let kept = [...columns];
  const spares = columns.filter(({ spare }) => spare !== undefined).sort((a, b) => Number(b.spare) - Number(a.spare));
  const isWide = sum(kept, ({ width }) => width) > room;
  for (const column of isWide ? spares : [])
    if (sum(kept, leastOf) > room && kept.length > 1) kept = kept.filter((each) => each !== column);
  const widths = kept.map(({ width }) => width);
  for (let over = sum(kept, ({ width }) => width) - room; over > 0; over -= 1) {
    const able = widths.map((width, at) => (width > leastOf(kept[at] as Wanted) ? width : 0));
    const from = able.some((width) => width > 0) ? able : widths;
    const widest = from.indexOf(Math.max(...from));
    widths[widest] = Math.max(1, (widths[widest] as number) - 1);
  }
  return { kept, widths };
}

/** @param room columns of the terminal; everything is shown whole if there is none */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  paint: Paint,
  room = Number.POSITIVE_INFINITY,
): Table {
  const write = (isNarrow: boolean) =>
    columns.map((column) => {
      const cell = (isNarrow && column.brief) || column.cell;
      const texts = rows.map((row) => toLineText(cell(row), Math.min(maxShown, 3 * room)));
      const width = texts.reduce((widest, text) => Math.max(widest, measureText(text)), column.head.length || 1);
      return { ...column, texts, width };
    });
  const whole = write(false);
  const isNarrow = whole.reduce((total, { width }) => total + width + gap, -gap) > room;
  const { kept, widths } = fitColumns(isNarrow ? write(true) : whole, room);
  const cut = (text: string, at: number) => cutText(text, widths[at] as number);
  const lines = [
    kept.map(({ head }, at) => head && paint('bold', cut(head, at))),
    ...rows.map((row, line) => kept.map(({ texts, style }, at) => paint(style?.(row), cut(texts[line] as string, at)))),
  ];
  const right = kept.map((column) => column.right ?? false);
  const text = lines.map((cells) => drawRow(cells, widths, right)).join('\n');
  const heads = new Set(kept.map(({ head }) => head));
  return { text, omitted: columns.flatMap(({ head }) => (heads.has(head) ? [] : [head])) };
}

/** A column of times. */
export function timeColumn<Name extends string>(
  head: string,
  name: Name,
): Column<{ [Key in Name]?: string | null | undefined }> {
  const pick = (row: { [Key in Name]?: string | null | undefined }) => formatTime(row[name] ?? null);
  return { head, cell: pick, brief: (row) => pick(row).slice(5, -1) || '-' };
}

/** A column of ids: `evt_01k9r3…7y1zb` on a narrow terminal, which `why` and `show` take too. */
export const idColumn: Column<{ id: string }> = {
  head: 'ID',
  cell: ({ id }) => id,
  brief: ({ id }) => shortenId(id),
};

/** A field of an object. */
export type Field = readonly [name: string, value: string, style?: Style | undefined];

/** The fields of one object, one a line. @param room if it is given, values are wrapped to so many columns in all */
export function formatFields(fields: readonly Field[], paint: Paint, room = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  const left = Math.max(1, room - width - gap);
  return fields
    .flatMap(([name, value, style]) =>
      wrapText(toLineText(value, maxShown), left).map((line, at) =>
        drawRow([at === 0 ? paint('bold', name) : '', paint(style, line)], [width]),
      ),
    )
    .join('\n');
}

/** Breaks a text between words into lines of so many columns; a longer word is cut. */
export function wrapText(text: string, width: number): string[] {
  if (measureText(text) <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ').map((each) => cutText(each, width))) {
    const last = lines.at(-1);
    if (last !== undefined && measureText(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A cap, or what remains of it; null means no cap. */
export function formatCap(usd: number | null): string {
  return usd === null ? 'none' : roundUsd(usd);
}

/** A time without `T` and milliseconds, easier to read in a table. */
export function formatTime(timestamp: string | null): string {
  return timestamp === null ? '-' : timestamp.replace('T', ' ').replace(/\.\d{3}Z$/, 'Z');
}

/** Requests a minute. */
export const formatRate = (rate: number | null) => (rate === null ? 'none' : formatCount(rate));

/** Since when something is stopped, by whom and why. */
export const formatStop = ({ since, by, reason, until }: Stop) =>
  toLineText(
    `since ${formatTime(since)} by ${by} (${reason ?? 'no reason given'})${until ? `, until ${formatTime(until)}` : ''}`,
  );
