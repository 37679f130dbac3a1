import { toLineText } from '@agp/core/text';
import type { Paint, Style } from '../open-terminal.ts';
import { cutText, measureText } from './cut-text.ts';
import { fitColumns, fits, gap } from './fit-columns.ts';
import { formatTime } from './format-values.ts';

/** UTF-16 units shown of a value: more than any name, and all of an agent's metadata. */
const maxCell = 32_768;

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

/** @param room columns of the terminal; everything is shown whole where there is none */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  paint: Paint,
  room = Number.POSITIVE_INFINITY,
): Table {
  const draw = (isNarrow: boolean) =>
    columns.map((column) => {
      const write = (isNarrow && column.brief) || column.cell;
      const texts = [column.head, ...rows.map((row) => toLineText(write(row), maxCell))];
      return { ...column, texts, width: texts.reduce((widest, text) => Math.max(widest, measureText(text)), 0) };
    });
  const whole = draw(false);
  const drawn = fits(whole, room) ? whole : draw(true);
  const widths = fitColumns(drawn, room);
  const shown = drawn.flatMap((column, at) => {
    const width = widths[at] ?? null;
    return width === null ? [] : [{ ...column, width }];
  });
  const lines = [undefined, ...rows].map((row, line) => {
    let after = '';
    let text = '';
    for (const { texts, width, right, style } of shown) {
      const cell = cutText(texts[line] ?? '', width);
      const padding = ' '.repeat(width - measureText(cell));
      const painted = cell && paint(row === undefined ? 'bold' : style?.(row), cell);
      text += after + (right ? padding : '') + painted;
      after = (right ? '' : padding) + ' '.repeat(gap);
    }
    return text.trimEnd();
  });
  const omitted = columns.filter((_, at) => widths[at] === null).map(({ head }) => head);
  return { text: lines.join('\n'), omitted };
}

/** A column of times. */
export function timeColumn<Row>(head: string, pick: (row: Row) => string | null): Column<Row> {
  return { head, cell: (row) => formatTime(pick(row)), brief: (row) => formatTime(pick(row)).slice(5, -1) || '-' };
}

/** The fields of one object, one a line. */
export function formatFields(fields: readonly (readonly [name: string, value: string])[], paint: Paint): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => `${paint('bold', name.padEnd(width))}  ${toLineText(value, maxCell)}`)
    .join('\n');
}
