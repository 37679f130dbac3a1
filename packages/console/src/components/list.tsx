import { countOf, formatCount } from '@agp/core/explain';
import { Button, Checkbox } from '@mantine/core';
import { IconArrowUp, IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { fetchFile, saveFile } from '../api/api.ts';
import { compact } from '../search/search.ts';
import { EmptyState } from './feedback.tsx';
import { Card } from './layout.tsx';

interface CsvButtonProps {
  path: `/api/v1/${string}`;
  query: Record<string, string | number | boolean | undefined>;
  /** Of the file, without its ending. */
  name: string;
  /** `CSV` if not given. */
  label?: string;
  title?: string;
}

async function download({ path, query, name }: CsvButtonProps): Promise<void> {
  const given = Object.entries(compact(query)).map(([key, value]) => [key, String(value)]);
  saveFile(await fetchFile(`${path}?${new URLSearchParams(given)}`, 'text/csv'), `${name}.csv`);
}

export function CsvButton(props: CsvButtonProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => download(props) });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isPending}
      onClick={() => mutate()}
      title={error?.message ?? props.title}
      {...(error && { color: 'red', variant: 'light' })}
    >
      {error ? 'CSV failed: again' : (props.label ?? 'CSV')}
    </Button>
  );
}

interface PagerProps {
  /** What is shown. */
  children: ReactNode;
  /** Such as `Newer` and `Older`. */
  words: readonly [previous: string, next: string];
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}

function Pager({ children, onPrevious, onNext, words: [previous, next] }: PagerProps) {
  return (
    <nav className="pager" aria-label="Pages">
      <span className="dim">{children}</span>
      <span style={{ display: 'flex', gap: '0.5rem' }}>
        {onPrevious && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconChevronLeft size={14} aria-hidden />}
            onClick={onPrevious}
          >
            {previous}
          </Button>
        )}
        {onNext && (
          <Button
            size="xs"
            variant="default"
            rightSection={<IconChevronRight size={14} aria-hidden />}
            onClick={onNext}
          >
            {next}
          </Button>
        )}
      </span>
    </nav>
  );
}

/** Turns to a page by what is to stand in the address; the first page's number does not. */
function useTurn() {
  const navigate = useNavigate();
  return (next: { page?: number; cursor?: string }) => () =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, ...next, ...(next.page === 1 && { page: undefined }) })) as never,
    });
}

interface ByCursor {
  children: ReactNode;
  cursor: string | undefined;
  /** Of the next page; null if there is none. */
  next: string | null;
}

/** Of a list, newest first, that is read from a cursor in the address on; nothing if one page has all. */
export function CursorPager({ cursor, next, children }: ByCursor) {
  const { history } = useRouter();
  const turn = useTurn();
  if (next === null && cursor === undefined) return null;
  return (
    <Pager
      words={['Newer', 'Older']}
      onPrevious={cursor === undefined ? undefined : () => history.back()}
      onNext={next === null ? undefined : turn({ cursor: next })}
    >
      {children}
    </Pager>
  );
}

interface Numbered {
  page: number;
  size: number;
  /** Rows that were read: one more than a page has tells of a next one. */
  count: number;
  /** What rows are, such as `agents`. */
  nouns: string;
  words?: PagerProps['words'];
}

/** Of a list whose page number stands in the address. */
export function NumberedPager({ page, size, count, nouns, words = ['Previous', 'Next'] }: Numbered) {
  const turn = useTurn();
  if (count === 0 || (page === 1 && count <= size)) return null;
  const first = (page - 1) * size;
  return (
    <Pager
      words={words}
      onPrevious={page > 1 ? turn({ page: page - 1 }) : undefined}
      onNext={count > size ? turn({ page: page + 1 }) : undefined}
    >
      {nouns[0]?.toUpperCase()}
      {nouns.slice(1)} {formatCount(first + 1)} to {formatCount(first + Math.min(count, size))}
    </Pager>
  );
}

/** Of a numbered page without rows: the list has become shorter, or the address was edited. */
export function PastTheEnd({ nouns }: { nouns: string }) {
  const turn = useTurn();
  return (
    <EmptyState
      title={`No ${nouns} on this page`}
      action={
        <Button variant="default" onClick={turn({ page: 1 })}>
          First page
        </Button>
      }
    >
      The list ends before it.
    </EmptyState>
  );
}

export interface Column<Row> {
  /** Also its name on a phone, whose rows are cards. */
  head: string;
  cell: (row: Row) => ReactNode;
  right?: boolean;
  /** Not on a phone. */
  wide?: boolean;
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

export interface RowsTableProps<Row> {
  /** What the rows are, for those who cannot see the screen. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Rows of before, while newer ones are read. */
  stale?: boolean;
  /** Rows can be selected, by their keys. */
  selection?: {
    selected: Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;
    onChange: (selected: ReadonlySet<string>) => void;
  };
}

const selectHead = 'Select';

function selectColumn<Row>(
  { selected, onChange }: NonNullable<RowsTableProps<Row>['selection']>,
  rowKey: RowsTableProps<Row>['rowKey'],
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

/** Styles that make cards of rows take the roles of a table away, so they are named. */
const roles = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  cell: { role: 'cell' },
};

/** Rows with columns; on a phone a card for each row. */
export function RowsTable<Row>({ label, rows, columns: given, rowKey, stale = false, selection }: RowsTableProps<Row>) {
  const columns = selection ? [selectColumn(selection, rowKey), ...given] : given;
  const keys = rows.map(rowKey);
  return (
    <div className="rows-scroll">
      <table className="rows" {...roles.table} aria-label={label} data-stale={stale}>
        <thead {...roles.rowgroup}>
          <tr {...roles.row}>
            {columns.map(({ head, right, silent }) => (
              <th key={head} {...roles.columnheader} scope="col" className={right ? 'right' : undefined}>
                {selection && head === selectHead ? (
                  <Checkbox
                    size="xs"
                    aria-label="Select all shown"
                    checked={keys.length > 0 && keys.every((key) => selection.selected.has(key))}
                    onChange={(event) => selection.onChange(new Set(event.currentTarget.checked ? keys : []))}
                  />
                ) : silent ? (
                  <span className="visually-hidden">{head}</span>
                ) : (
                  head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...roles.rowgroup}>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...roles.row}>
              {columns.map(({ head, cell, right, silent, wide }) => (
                <td
                  key={head}
                  {...roles.cell}
                  data-label={silent ? '' : head}
                  className={[right && 'right', wide && 'wide'].filter(Boolean).join(' ') || undefined}
                >
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

interface ListCardProps<Row> extends RowsTableProps<Row> {
  title?: string;
  /** At the right of the title. */
  aside?: ReactNode;
  /** What the rows mean, above them. */
  intro?: ReactNode;
  /** Shown if there are no rows. */
  none: ReactNode;
  /** Ways to further pages. */
  children?: ReactNode;
}

/** Rows in a card, or why there are none. */
export function ListCard<Row>({ title, aside, intro, none, children, ...table }: ListCardProps<Row>) {
  const isEmpty = table.rows.length === 0;
  return (
    <Card title={title} aside={aside} flush>
      {intro && !isEmpty && (
        <p className="card-body" style={{ margin: 0, paddingTop: '1rem' }}>
          {intro}
        </p>
      )}
      {/* While another page is read, the rows of the last one say nothing about it. */}
      {isEmpty ? !table.stale && none : <RowsTable {...table} />}
      {children}
    </Card>
  );
}

interface GrowingTableProps<Row> extends RowsTableProps<Row> {
  /** Rows that are drawn before somebody asks for more. */
  atOnce: number;
  /** How many more each time. */
  more?: number;
  /** After how many of how many are shown. */
  note?: ReactNode;
}

/** A table that draws only its first rows: there may be thousands. */
export function GrowingTable<Row>({ atOnce, more = atOnce, note, rows, ...table }: GrowingTableProps<Row>) {
  const [shown, setShown] = useState(atOnce);
  return (
    <>
      <RowsTable {...table} rows={rows.slice(0, shown)} />
      {rows.length > shown && (
        <div className="pager">
          <span className="dim">
            {formatCount(shown)} of {formatCount(rows.length)}
            {note}
          </span>
          <Button size="xs" variant="default" onClick={() => setShown(shown + more)}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

/** Says that there is more, and shows it when asked: rows never move by themselves. */
export function NewPill({ count, onShow }: { count: number; onShow: () => void }) {
  return (
    <div role="status" className="new-pill no-print">
      {count > 0 && (
        <Button size="compact-sm" radius="xl" leftSection={<IconArrowUp size={14} aria-hidden />} onClick={onShow}>
          {countOf(count, 'new event')}
        </Button>
      )}
    </div>
  );
}
