import { toLineText } from '@agp/core/text';
import CliTable from 'cli-table3';
import { eastAsianWidth } from 'get-east-asian-width';
import stringWidth from 'string-width';
import type { Paint, Style } from './terminal.ts';
import { formatTime } from './values.ts';

/** UTF-16 units shown of a field: all of an agent's metadata. */
const maxField = 32_768;
/** Characters shown of a cell: more than any name. */
const maxCell = 1_000;
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

/** Columns of a terminal that a line takes, as cli-table3 measures it. */
export function measureText(text: string): number {
  return stringWidth(text);
}

/** Characters that are wider than cli-table3 believes would push a hostile text into the next line: they are shown by number too. */
function showCell(text: string, most: number): string {
  const shown = toLineText(text, most).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) as number;
    return eastAsianWidth(code) > measureText(character) ? `\\u{${code.toString(16)}}` : character;
  });
  const characters = [...shown];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : shown;
}

/** Ends with an ellipsis if something is missing. cli-table3 would leave too much of a text of wide and narrow characters. */
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

/** Draws row by row, for cli-table3 takes the square of the rows. */
function drawRows(
  rows: readonly string[][],
  options: { colWidths: number[]; colAligns?: ('left' | 'right')[]; wordWrap?: boolean },
): string {
  const none = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'];
  const chars = Object.fromEntries([...none, 'left', 'right'].map((name) => [name, '']));
  const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [] };
  const drawn = rows.map((row) => {
    const table = new CliTable({ ...options, chars: { ...chars, middle: ' '.repeat(gap) }, style });
    table.push(row);
    return table.toString().replace(/ +$/gm, '');
  });
  return drawn.join('\n');
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

/** @param room columns of the terminal; everything is shown whole where there is none */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  paint: Paint,
  room = Number.POSITIVE_INFINITY,
): Table {
  const write = (isNarrow: boolean) =>
    columns.map((column) => {
      const cell = (isNarrow && column.brief) || column.cell;
      const texts = rows.map((row) => showCell(cell(row), Math.min(maxCell, 3 * room)));
      const width = texts.reduce((widest, text) => Math.max(widest, measureText(text)), column.head.length || 1);
      return { ...column, texts, width };
    });
  const whole = write(false);
  const isNarrow = whole.reduce((total, { width }) => total + width + gap, -gap) > room;
  const { kept, widths } = fitColumns(isNarrow ? write(true) : whole, room);
  const lines = [
    kept.map(({ head }, column) => head && paint('bold', cutText(head, widths[column] as number))),
    ...rows.map((row, at) =>
      kept.map(({ texts, style }, column) =>
        paint(style?.(row), cutText(texts[at] as string, widths[column] as number)),
      ),
    ),
  ];
  const text = drawRows(lines, { colWidths: widths, colAligns: kept.map(({ right }) => (right ? 'right' : 'left')) });
  const heads = new Set(kept.map(({ head }) => head));
  return { text, omitted: columns.flatMap(({ head }) => (heads.has(head) ? [] : [head])) };
}

/** A column of times. */
export function timeColumn<Row>(head: string, pick: (row: Row) => string | null): Column<Row> {
  return { head, cell: (row) => formatTime(pick(row)), brief: (row) => formatTime(pick(row)).slice(5, -1) || '-' };
}

/** A field of an object. */
export type Field = readonly [name: string, value: string, style?: Style | undefined];

/** The fields of one object, one a line. @param room where it is given, values are wrapped to so many columns in all */
export function formatFields(fields: readonly Field[], paint: Paint, room = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  if (Number.isFinite(room)) {
    const left = Math.max(1, room - width - gap);
    const write = (value: string) =>
      showCell(value, maxCell)
        .split(' ')
        .map((word) => cutText(word, left))
        .join(' ');
    const rows = fields.map(([name, value, style]) => [paint('bold', name), paint(style, write(value))]);
    return drawRows(rows, { colWidths: [width, left], wordWrap: true });
  }
  return fields
    .map(([name, value, style]) => `${paint('bold', name.padEnd(width))}  ${paint(style, toLineText(value, maxField))}`)
    .join('\n');
}
