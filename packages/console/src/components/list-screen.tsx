import { countOf, formatCount } from '@agp/core/explain';
import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconArrowUp, IconChevronLeft, IconChevronRight, IconColumns3 } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Reply } from '../api/api.ts';
import { EmptyState, Reading } from './feedback.tsx';
import { Chips, Filters } from './filters.tsx';
import { Screen } from './layout.tsx';
import { type Column, List, type ListProps } from './list.tsx';
import { TimeStamp } from './values.tsx';

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
  /** The next page's cursor; null if there is none. */
  next: string | null;
}

/** Turns the pages of a list, newest first, that is read from a cursor in the address on; draws nothing if one page has all. */
function CursorPager({ cursor, next, children }: ByCursor) {
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

/** Turns the pages of a list whose page number stands in the address. */
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

export const pageSize = 50;

/** What a numbered page asks the API for: one row more than is shown tells if there is a next page. */
export const pageQuery = (page = 1) => ({ limit: pageSize + 1, offset: (page - 1) * pageSize });

interface ListSearch {
  page?: number | undefined;
  cursor?: string | undefined;
  order?: string | undefined;
}

/** What the address narrows a list to, and the ways to change it: each leads back to the first page. */
export function useFilters<Search extends object>(search: Search) {
  const navigate = useNavigate();
  const { page = 1, cursor, order: _, ...filter } = search as Search & ListSearch;
  const go = (next: object, replace: boolean) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, page: undefined, cursor: undefined, ...next })) as never,
      replace,
    });
  const set = Object.entries(filter).filter(([, value]) => value !== undefined);
  return {
    filter,
    page,
    cursor,
    isFirst: page === 1 && cursor === undefined,
    change: (next: Partial<Search>) => go(next, true),
    /** What a field of one member is given. */
    bind: <Name extends keyof Search>(name: Name) => ({
      value: search[name],
      onChange: (value: Search[Name] | undefined) => go({ [name]: value }, true),
    }),
    chips: <Chips filter={filter} onChange={(next) => go(next, true)} />,
    /** Takes all filters away; undefined if there are none. */
    showAll: set.length > 0 ? () => go(Object.fromEntries(set.map(([name]) => [name, undefined])), false) : undefined,
  };
}

interface ListScreenProps<Row, Read = Row> extends Omit<ListProps<Row>, 'rows' | 'stale' | 'title' | 'none'> {
  title: string;
  about: string;
  actions?: ReactNode;
  /** Fields that narrow the list, with a chip for each that does. */
  filters?: ReactNode;
  query: UseQueryResult<Reply<Read[]>, Error>;
  /** Makes rows of what a page of them was read. */
  arrange?: (read: Read[]) => Row[];
  at: Pick<ReturnType<typeof useFilters>, 'page' | 'cursor' | 'showAll' | 'chips'>;
  /** What one row is, such as `session`, and many. */
  nouns: readonly [one: string, many: string];
  /** What to try if no row matches the filters. */
  hint: string;
  /** Shown if there is neither a row nor a filter. */
  none: ReactNode;
  /** The words for the page before and after of a list whose pages have numbers. */
  numbered?: readonly [previous: string, next: string];
  /** Between the pages of a list that is read by a cursor: how many are shown, if not given. */
  footer?: ReactNode;
  children?: ReactNode;
}

type WhyNoneProps = Pick<ListScreenProps<never>, 'at' | 'nouns' | 'hint' | 'none'>;

/** Why there are no rows: the list has become shorter than its page's number, nothing matches, or there is nothing yet. */
export function WhyNone({ at: { page, showAll }, nouns: [one, many], hint, none }: WhyNoneProps) {
  const turn = useTurn();
  if (page === 1 && !showAll) return none;
  const [title, words, go, why] =
    page > 1
      ? [`No ${many} on this page`, 'First page', turn({ page: 1 }), 'The list ends before it.']
      : [`No ${one} matches`, `Show all ${many}`, showAll, hint];
  const action = (
    <Button variant="default" onClick={go}>
      {words}
    </Button>
  );
  return (
    <EmptyState title={title} action={action}>
      {why}
    </EmptyState>
  );
}

/** The columns that somebody wants of a list, kept in the browser, and the menu that asks. */
function useColumns<Row>(list: string, all: readonly Column<Row>[]) {
  const [kept, setKept] = useLocalStorage<unknown>({ key: `agp-hidden-${list}`, getInitialValueInEffect: false });
  const hidden: unknown[] = Array.isArray(kept) ? kept : [];
  const toggle = (head: string) =>
    setKept(hidden.includes(head) ? hidden.filter((each) => each !== head) : [...hidden, head]);
  const choosable = all.slice(1).filter(({ silent }) => !silent);
  const chooser = (
    <Menu withinPortal position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Button
          variant="default"
          className="no-print"
          visibleFrom="sm"
          leftSection={<IconColumns3 size={16} aria-hidden />}
        >
          Columns
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choosable.map(({ head }) => (
          <Menu.CheckboxItem key={head} checked={!hidden.includes(head)} onChange={() => toggle(head)}>
            {head}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
  return { columns: all.filter(({ head }, at) => at === 0 || !hidden.includes(head)), chooser };
}

/** A screen that is one list, a page at a time: rows, or why there are none. */
export function ListScreen<Row, Read = Row>(props: ListScreenProps<Row, Read>) {
  const {
    title,
    about,
    actions,
    filters,
    query,
    at,
    nouns,
    hint,
    none,
    numbered,
    footer,
    children,
    arrange,
    ...table
  } = props;
  const { page, cursor } = at;
  const toRows = arrange ?? ((read: Read[]) => read as unknown as Row[]);
  const { columns, chooser } = useColumns(title, table.columns);
  const shownCount = (count: number) => (
    <>
      {countOf(count, nouns[0], nouns[1])}
      {cursor !== undefined && (
        <>
          {' · '}
          <Link to="." search={(({ cursor: _, ...before }: ListSearch) => before) as never}>
            to the newest
          </Link>
        </>
      )}
    </>
  );
  return (
    <Screen
      title={title}
      about={about}
      actions={
        <>
          {actions}
          {chooser}
        </>
      }
    >
      {filters && <Filters>{filters}</Filters>}
      {at.chips}
      {query.data?.keptSince && (
        <p className="small dim" style={{ margin: 0 }}>
          Kept since <TimeStamp at={query.data.keptSince} />: what was before is removed, and no longer listed.
        </p>
      )}
      {children}
      <Reading query={query}>
        {({ data: rows, next }) => (
          <List
            {...table}
            columns={columns}
            rows={toRows(numbered ? rows.slice(0, pageSize) : rows)}
            stale={query.isPlaceholderData}
            none={<WhyNone at={at} nouns={nouns} hint={hint} none={none} />}
          >
            {numbered ? (
              <NumberedPager page={page} size={pageSize} count={rows.length} nouns={nouns[1]} words={numbered} />
            ) : (
              <CursorPager cursor={cursor} next={next}>
                {footer ?? shownCount(rows.length)}
              </CursorPager>
            )}
          </List>
        )}
      </Reading>
    </Screen>
  );
}
