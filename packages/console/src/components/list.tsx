import { formatCount } from '@agp/core/explain';
import { Button, Checkbox } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import type { Reply } from '../api/api.ts';
import { Reading } from './feedback.tsx';
import { Card } from './layout.tsx';
import { usePeek } from './peek.tsx';
import type { ListSearch } from './use-filters.tsx';
import { TimeAgo } from './values.tsx';

export interface Column<Row> {
  /** Also its name on a phone, whose rows have two lines. */
  head: string;
  cell: (row: Row) => ReactNode;
  right?: boolean;
  /** Not on a phone. */
  wide?: boolean;
  /** Beside the name on a phone; the first figure if no column says so. */
  lead?: boolean;
  /** The API's name of the order by this column, and whether the least comes first. */
  order?: readonly [name: string, direction?: 'ascending'];
  /** What a list that is whole on the page is sorted by, in the browser: numbers greatest first, texts as in a dictionary. */
  by?: (row: Row) => string | number | null;
  /** The head is not shown: what is below speaks for itself. */
  silent?: boolean;
}

/** A last column of buttons. */
export const actionColumn = <Row,>(cell: Column<Row>['cell']): Column<Row> => ({
  head: 'Action',
  silent: true,
  right: true,
  cell,
});

/** A column of figures, the greatest first if somebody sorts by it. */
export const figureColumn = <Row,>(
  head: string,
  of: (row: Row) => number,
  write: (figure: number) => string,
  wide = false,
): Column<Row> => ({ head, right: true, wide, by: of, cell: (row) => write(of(row)) });

/** A column of how long ago something was, the latest first if somebody sorts by it. */
export const agoColumn = <Row,>(head: string, of: (row: Row) => string | null): Column<Row> => ({
  ...{ head, by: (row) => Date.parse(of(row) ?? '') || null, cell: (row) => <TimeAgo at={of(row)} /> },
});

interface RowsProps<Row> {
  /** What the rows are, for those who cannot see the screen. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Rows of before, while newer ones are read. */
  stale?: boolean;
  /** Rows that are drawn before somebody asks for more, of what may be thousands; all if not given. */
  atOnce?: number;
  /** How many more each time. */
  more?: number;
  /** After how many of how many are shown. */
  note?: ReactNode;
  /** What a row leads to, shown beside the list; the first column has the link. */
  peek?: (row: Row) => ReactNode;
  /** The order that holds, if heads can choose another. */
  sort?: { by: string; onChange: (order: string) => void };
  /** Rows can be selected, by their keys. */
  selection?: {
    selected: Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;
    onChange: (selected: ReadonlySet<string>) => void;
  };
}

const selectHead = 'Select';
const lookHead = 'Look';
/** In a phone's first line, beside the name. */
const held = new Set([selectHead, lookHead]);

function selectColumn<Row>(
  { selected, onChange }: NonNullable<RowsProps<Row>['selection']>,
  rowKey: RowsProps<Row>['rowKey'],
): Column<Row> {
  return {
    head: selectHead,
    silent: true,
    cell: (row) => {
      const key = rowKey(row);
      const rest = [...selected.keys()].filter((each) => each !== key);
      return (
        <Checkbox
          size="xs"
          aria-label={`Select ${(row as { name?: string }).name ?? key}`}
          checked={selected.has(key)}
          onChange={(event) => onChange(new Set([...rest, ...(event.currentTarget.checked ? [key] : [])]))}
        />
      );
    },
  };
}

/** Styles that make two lines of rows take the roles of a table away, so they are named. */
const roles = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  cell: { role: 'cell' },
};

/** Rows in the order of a column, which the address has by its head: as `Cost`, or `-Cost` the other way round. */
function useSorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const { sort = '' } = useSearch({ strict: false }) as ListSearch;
  const navigate = useNavigate();
  const column = columns.find(({ head, by }) => by && head === sort.replace(/^-/, ''));
  const by = column?.by;
  const sorted = by ? rows.toSorted((one, other) => compare(by(one), by(other))) : rows;
  const isBack = sort.startsWith('-');
  const isNumber = typeof (sorted[0] && by?.(sorted[0])) === 'number';
  return {
    sorted: isBack ? sorted.toReversed() : sorted,
    sortOf: (head: string) =>
      head !== column?.head ? undefined : isNumber === isBack ? ('ascending' as const) : ('descending' as const),
    toggle: (head: string) =>
      void navigate({
        to: '.',
        search: ((before: object) => ({ ...before, sort: sort === head ? `-${head}` : head })) as never,
        replace: true,
      }),
  };
}

const compare = (one: string | number | null, other: string | number | null) =>
  typeof one === 'string' && typeof other === 'string'
    ? one.localeCompare(other, 'en', { numeric: true })
    : Number(other ?? -1) - Number(one ?? -1);

/** Rows with columns; on a phone each is two lines: its name and what leads, then the rest. */
export function Rows<Row>(props: RowsProps<Row>) {
  const { label, rows: all, columns: given, rowKey, stale = false, selection, atOnce = all.length, note, sort } = props;
  const [further, setFurther] = useState(0);
  const { sorted, sortOf, toggle } = useSorted(all, given);
  const rows = sorted.slice(0, atOnce + further);
  const keys = rows.map(rowKey);
  const body = useRef<HTMLTableSectionElement>(null);
  const { drawer, peeked, button } = usePeek({ body, rows, keys, title: given[0]?.cell, show: props.peek });
  const lead =
    given.find((column) => column.lead) ?? given.find(({ right, silent, wide }) => right && !silent && !wide);
  const columns: Column<Row>[] = [
    ...(selection ? [selectColumn(selection, rowKey)] : []),
    ...given,
    ...(button ? [{ head: lookHead, silent: true, right: true, cell: (row: Row) => button(rowKey(row)) }] : []),
  ];
  return (
    <>
      <div className="rows-scroll">
        <table className="rows" {...roles.table} aria-label={label} data-stale={stale}>
          <thead {...roles.rowgroup}>
            <tr {...roles.row}>
              {columns.map(({ head, right, silent, order, by }) => (
                <th
                  key={head}
                  {...roles.columnheader}
                  scope="col"
                  className={right ? 'right' : undefined}
                  aria-sort={order && sort?.by === order[0] ? (order[1] ?? 'descending') : sortOf(head)}
                >
                  {selection && head === selectHead ? (
                    <Checkbox
                      size="xs"
                      aria-label="Select all shown"
                      checked={keys.length > 0 && keys.every((key) => selection.selected.has(key))}
                      onChange={(event) => selection.onChange(new Set(event.currentTarget.checked ? keys : []))}
                    />
                  ) : silent ? (
                    <span className="visually-hidden">{head}</span>
                  ) : by || (sort && order) ? (
                    <button
                      type="button"
                      className="head-sort"
                      onClick={() => (sort && order ? sort.onChange(order[0]) : toggle(head))}
                    >
                      {head}
                    </button>
                  ) : (
                    head
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...roles.rowgroup} ref={body}>
            {rows.map((row, at) => (
              <tr key={keys[at]} {...roles.row} data-peeked={keys[at] === peeked}>
                {columns.map((column) => (
                  <td
                    key={column.head}
                    {...roles.cell}
                    data-label={column.silent ? '' : column.head}
                    data-part={
                      column === given[0] ? 'name' : column === lead || held.has(column.head) ? 'lead' : undefined
                    }
                    className={[column.right && 'right', column.wide && 'wide'].filter(Boolean).join(' ') || undefined}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {drawer}
      {all.length > rows.length && (
        <div className="pager">
          <span className="dim">
            {formatCount(rows.length)} of {formatCount(all.length)}
            {note}
          </span>
          <Button size="xs" variant="default" onClick={() => setFurther(further + (props.more ?? atOnce))}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

export interface ListProps<Row> extends RowsProps<Row> {
  title?: string;
  /** At the right of the title. */
  aside?: ReactNode;
  /** What the rows mean, above them. */
  intro?: ReactNode;
  /** Shown if there are no rows. */
  none?: ReactNode;
  /** Ways to further pages. */
  children?: ReactNode;
}

/** Rows in a card, or why there are none. */
export function List<Row>({ title, aside, intro, none, children, ...table }: ListProps<Row>) {
  const isEmpty = table.rows.length === 0;
  return (
    <Card title={title} aside={aside} flush>
      {intro && !isEmpty && (
        <p className="card-body small dim" style={{ margin: 0, paddingTop: '1rem' }}>
          {intro}
        </p>
      )}
      {/* While another page is read, the rows of the last one say nothing about it. */}
      {isEmpty ? !table.stale && none : <Rows {...table} />}
      {children}
    </Card>
  );
}

interface ReadListProps<Row> extends Omit<ListProps<Row>, 'rows' | 'stale'> {
  query: UseQueryResult<Pick<Reply<Row[]>, 'data'>, Error>;
}

/** The same with the rows that a read brings. */
export function ReadList<Row>({ query, ...list }: ReadListProps<Row>) {
  return (
    <Reading query={query}>{({ data }) => <List {...list} rows={data} stale={query.isPlaceholderData} />}</Reading>
  );
}
