import { countOf } from '@agp/core/explain';
import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Reply } from '../api/api.ts';
import { EmptyState, Reading } from './feedback.tsx';
import { Chips, Filters } from './filters.tsx';
import { Screen } from './layout.tsx';
import { CursorPager, ListCard, NumberedPager, PastTheEnd, type RowsTableProps } from './list.tsx';

export const pageSize = 50;

/** What a numbered page asks the API for: one row more than is shown tells if there is a next page. */
export const pageQuery = (page = 1) => ({ limit: pageSize + 1, offset: (page - 1) * pageSize });

interface ListSearch {
  page?: number | undefined;
  cursor?: string | undefined;
  order?: string | undefined;
}

/** What the address narrows a list to, and the ways to change it: each leads back to the first page. */
export function useFilters<Search extends ListSearch>(search: Search) {
  const navigate = useNavigate();
  const { page = 1, cursor, order: _, ...filter } = search;
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
    chips: <Chips filter={filter} onChange={(next) => go(next, true)} />,
    /** Takes all filters away; undefined if there are none. */
    showAll: set.length > 0 ? () => go(Object.fromEntries(set.map(([name]) => [name, undefined])), false) : undefined,
  };
}

interface ListScreenProps<Row> extends Omit<RowsTableProps<Row>, 'rows' | 'stale'> {
  title: string;
  about: string;
  actions?: ReactNode;
  /** Fields that narrow the list, with a chip for each that does. */
  filters?: ReactNode;
  query: UseQueryResult<Reply<Row[]>, Error>;
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

function NoMatch({
  nouns: [one, many],
  hint,
  onShowAll,
}: { onShowAll: () => void } & Pick<ListScreenProps<never>, 'nouns' | 'hint'>) {
  const action = (
    <Button variant="default" onClick={onShowAll}>
      Show all {many}
    </Button>
  );
  return (
    <EmptyState title={`No ${one} matches`} action={action}>
      {hint}
    </EmptyState>
  );
}

/** A screen that is one list, a page at a time: rows, or why there are none. */
export function ListScreen<Row>(props: ListScreenProps<Row>) {
  const { title, about, actions, filters, query, at, nouns, hint, none, numbered, footer, children, ...table } = props;
  const { page, cursor, showAll } = at;
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
  const nothing = showAll ? <NoMatch nouns={nouns} hint={hint} onShowAll={showAll} /> : none;
  return (
    <Screen title={title} about={about} actions={actions}>
      {filters && <Filters>{filters}</Filters>}
      {at.chips}
      {children}
      <Reading query={query}>
        {({ data: rows, next }) => (
          <ListCard
            {...table}
            rows={numbered ? rows.slice(0, pageSize) : rows}
            stale={query.isPlaceholderData}
            none={page > 1 ? <PastTheEnd nouns={nouns[1]} /> : nothing}
          >
            {numbered ? (
              <NumberedPager page={page} size={pageSize} count={rows.length} nouns={nouns[1]} words={numbered} />
            ) : (
              <CursorPager cursor={cursor} next={next}>
                {footer ?? shownCount(rows.length)}
              </CursorPager>
            )}
          </ListCard>
        )}
      </Reading>
    </Screen>
  );
}
