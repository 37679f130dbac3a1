import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { type Column, RowsTable } from '../../components/lists/rows-table.tsx';
import { Reading } from '../../components/reading.tsx';
import { TimeStamp } from '../../components/values/time-stamp.tsx';
import { OnceSecret } from './once-secret.tsx';

/** What keys and tokens have in common. */
interface Secret {
  id: string;
  created_at: string;
  expires_at: string | null;
}

/** When it was made, and when it ends. */
export const madeColumn: Column<Secret> = { head: 'Made', cell: ({ created_at }) => <TimeStamp at={created_at} /> };
export const endsColumn: Column<Secret> = {
  head: 'Ends',
  cell: ({ expires_at }) => (expires_at === null ? <span className="dim">never</span> : <TimeStamp at={expires_at} />),
};

/** Takes a secret that was just made. */
export type OnMade = (secret: string) => void;

interface Props<Row> {
  /** `key` or `token`. */
  what: string;
  title: string;
  query: UseQueryResult<{ data: Row[] }, Error>;
  columns: (onMade: OnMade) => readonly Column<Row>[];
  make: (onMade: OnMade) => ReactNode;
  none?: ReactNode;
}

/** A list of secrets, without what is secret, and a way to make another, which is shown once. */
export function SecretsCard<Row extends Secret>({ what, title, query, columns, make, none }: Props<Row>) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Reading query={query}>
        {({ data: rows }) => (
          <Card title={title} aside={make(setSecret)} flush>
            {rows.length === 0 && none ? (
              none
            ) : (
              <RowsTable label={title} rows={rows} rowKey={({ id }) => id} columns={columns(setSecret)} />
            )}
          </Card>
        )}
      </Reading>
      {secret !== null && <OnceSecret secret={secret} what={what} onClose={() => setSecret(null)} />}
    </>
  );
}
