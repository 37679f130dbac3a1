import { toLineText } from '@agp/core/text';
import Table from 'cli-table3';
import type { Paint, Style } from '../open-terminal.ts';

/** UTF-16 units shown of a value: more than any name, and all of an agent's metadata. */
const maxCell = 32_768;

/** One column: its heading, and the text that it shows for a row. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => string;
  /** Aligns to the right, for numbers. */
  right?: boolean;
  style?: (row: Row) => Style | undefined;
}

const noBorders = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

function withoutTrailingSpaces(table: string): string {
  return table
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], paint: Paint): string {
  const table = new Table({
    chars: noBorders,
    head: columns.map(({ head }) => paint('bold', head)),
    colAligns: columns.map(({ right }) => (right ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) {
    table.push(columns.map(({ cell, style }) => paint(style?.(row), toLineText(cell(row), maxCell))));
  }
  return withoutTrailingSpaces(table.toString());
}

/** The fields of one object, one a line. */
export function formatFields(fields: readonly (readonly [name: string, value: string])[], paint: Paint): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => `${paint('bold', name.padEnd(width))}  ${toLineText(value, maxCell)}`)
    .join('\n');
}
