import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card } from '../card.tsx';
import { EmptyState } from '../empty-state.tsx';
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
  /** Ways to further pages. */
  children?: ReactNode;
}

/** A list of rows, or why it is empty. */
export function ListCard<Row>({ nouns: [one, many], onShowAll, hint, none, children, ...table }: Props<Row>) {
  const nothing = onShowAll ? (
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
  return (
    <Card flush>
      {table.rows.length === 0 ? nothing : <RowsTable {...table} />}
      {children}
    </Card>
  );
}
