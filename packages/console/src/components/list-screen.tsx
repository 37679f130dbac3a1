import { countOf, formatCount } from '@agp/core/explain';
import { Button, Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Reply } from '../api/api.ts';
import { EmptyState, Reading } from './feedback.tsx';
import { Filters } from './filters.tsx';
import { Screen } from './layout.tsx';
import { type Column, List, type ListProps } from './list.tsx';
import { CursorPager, NumberedPager, pageSize, useTurn } from './pager.tsx';
import { SavedViews } from './saved-views.tsx';
import type { ListSearch, useFilters } from './use-filters.tsx';
import { TimeStamp } from './values.tsx';

interface ListScreenProps<Row, Read = Row> extends Omit<ListProps<Row>, 'rows' | 'stale' | 'title' | 'none'> {
  title: string;
  about: ReactNode;
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
  const { title, about, actions, filters, query, at, nouns, hint, none, numbered, children, arrange, ...table } = props;
  const { page, cursor } = at;
  const toRows = arrange ?? ((read: Read[]) => read as unknown as Row[]);
  const { columns, chooser } = useColumns(title, table.columns);
  const shownCount = (count: number, total = String(count)) => (
    <>
      {total !== String(count) && `${formatCount(count)} of `}
      {total.startsWith('>') && 'more than '}
      {countOf(Number(total.replace('>', '')), nouns[0], nouns[1])}
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
          <SavedViews />
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
                {shownCount(rows.length, query.data?.total ?? undefined)}
              </CursorPager>
            )}
          </List>
        )}
      </Reading>
    </Screen>
  );
}
