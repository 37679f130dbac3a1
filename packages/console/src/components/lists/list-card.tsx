import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card } from '../card.tsx';
import { EmptyState } from '../empty-state.tsx';
import { PastTheEnd } from './pager.tsx';
import { RowsTable, type RowsTableProps } from './rows-table.tsx';

interface Props<Row> extends RowsTableProps<Row> {
  /** What one row is, such as `session`, and many. */
  nouns: readonly [one: string, many: string];
  /** Takes all filters away; absent where there are none. */
  onShowAll?: (() => void) | undefined;
  /** What to try where no row matches the filters. */
  hint: ReactNode;
  /** Shown where there are no rows, and no filters. */
  none: ReactNode;
  /** Of a list whose pages have numbers, beginning with 1. */
  page?: number;
  /** Ways to further pages. */
  children?: ReactNode;
}

/** A list of rows, or why it is empty. */
export function ListCard<Row>({ nouns: [one, many], onShowAll, hint, none, page = 1, children, ...table }: Props<Row>) {
  const unmatched = onShowAll ? (
    <EmptyState
      title={`No ${one} matches`}
      action={
        <Button variant="default" onClick={onShowAll}>
          Show all {many}
        </Button>
      }
    >
      {hint}
    </EmptyState>
  ) : (
    none
  );
  const nothing = page > 1 ? <PastTheEnd nouns={many} /> : unmatched;
  return (
    <Card flush>
      {/* While another page is read, the rows of the last one say nothing about it. */}
      {table.rows.length === 0 ? !table.stale && nothing : <RowsTable {...table} />}
      {children}
    </Card>
  );
}
