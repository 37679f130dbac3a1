import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNotice } from './failure-notice.tsx';

interface Props<Data> {
  query: UseQueryResult<Data, Error>;
  children: (data: Data) => ReactNode;
}

/** What a read brought; until then its outline. A failure is shown above what was read before. */
export function Reading<Data>({ query, children }: Props<Data>) {
  const { data, error, refetch } = query;
  const notice = error && <FailureNotice error={error} retry={refetch} />;
  if (data === undefined)
    return (
      notice ?? (
        <div className="card card-body" role="status" aria-label="Loading">
          {[90, 70, 80, 60].map((width) => (
            <Skeleton key={width} height={14} width={`${width}%`} mt={14} />
          ))}
        </div>
      )
    );
  return (
    <>
      {notice}
      {children(data)}
    </>
  );
}
