import type { ReactNode } from 'react';

export interface Column<Row> {
  /** Also its name on a phone, where a row is a card. */
  head: string;
  cell: (row: Row) => ReactNode;
  /** For figures. */
  right?: boolean;
  /** The head is not shown: what is below speaks for itself. */
  silent?: boolean;
}

export interface RowsTableProps<Row> {
  /** What the rows are, for those who cannot see the screen. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Rows of before, while newer ones are read. */
  stale?: boolean;
}

/** Styles that make cards of rows take the roles of a table away, so they are named. */
const roles = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  cell: { role: 'cell' },
};

/** Rows with columns; on a phone a card for each row. */
export function RowsTable<Row>({ label, rows, columns, rowKey, stale = false }: RowsTableProps<Row>) {
  return (
    <div className="rows-scroll">
      <table className="rows" {...roles.table} aria-label={label} data-stale={stale}>
        <thead {...roles.rowgroup}>
          <tr {...roles.row}>
            {columns.map(({ head, right, silent }) => (
              <th key={head} {...roles.columnheader} scope="col" className={right ? 'right' : undefined}>
                {silent ? <span className="visually-hidden">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...roles.rowgroup}>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...roles.row}>
              {columns.map(({ head, cell, right, silent }) => (
                <td key={head} {...roles.cell} data-label={silent ? '' : head} className={right ? 'right' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
