import { Button, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Component, type ReactNode, useDeferredValue } from 'react';
import { ApiFailure } from '../api/api-failure.ts';
import { useView } from '../api/session.ts';
import { ShortId } from './values.tsx';

/** There is nothing, and what to do about it. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** What failed, what the server said, and the request id that finds it in the server's log. */
export function FailureNotice({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const view = useView();
  const failure = error instanceof ApiFailure ? error : null;
  // What is another's is as what is not there: nobody can tell which.
  if (view !== null && failure?.status === 404)
    return <EmptyState title={`It does not exist, or it is not in the view ${view}`} />;
  return (
    <div className="banner" role="alert">
      <div>
        <strong>{failure?.message ?? 'This part of the page failed.'}</strong>
        <div className="small">
          {failure === null ? String(error).slice(0, 300) : failure.call}
          {failure?.status ? ` · status ${failure.status}` : ''}
          {failure?.code ? ` · ${failure.code}` : ''}
          {failure?.requestId && (
            <>
              {' · request '}
              <ShortId id={failure.requestId} what="request id" whole />
            </>
          )}
        </div>
      </div>
      {retry && (
        <Button size="xs" variant="default" onClick={() => void retry()}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Keeps the fault of one part, such as a chart that cannot be loaded, from taking the rest of its screen along. */
export class FaultBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <FailureNotice error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}

/** What is to come, by its parts. */
interface Shape {
  figures?: number;
  /** Figures with their hours. */
  panels?: number;
  /** The height of a chart, in pixels. */
  chart?: number;
  rows?: number;
}

function Outline({ figures = 0, panels = 0, chart, rows = 8 }: Shape) {
  const draw = (count: number, height: number) =>
    Array.from({ length: count }, (_, at) => `${height} ${at}`).map((key) => (
      <Skeleton key={key} height={height} my={6} />
    ));
  return (
    <div className="outline" role="status" aria-label="Loading">
      <div className="stats">{draw(figures, 96)}</div>
      <div className="panels">{draw(panels, 250)}</div>
      {chart !== undefined && draw(1, chart)}
      {draw(rows, 14)}
    </div>
  );
}

interface ReadingProps<Data> {
  query: UseQueryResult<Data, Error>;
  /** Of what comes; a list if not given. */
  shape?: Shape;
  children: (data: Data) => ReactNode;
}

/** What a read brought; until then its outline. A failure is shown above what was read before. */
export function Reading<Data>({ query, shape = {}, children }: ReadingProps<Data>) {
  const { data, error, refetch } = query;
  const notice = error && <FailureNotice error={error} retry={refetch} />;
  // React draws in pieces what is deferred: Refusals took no click for 180 ms, and now for less than 50 (`bench:console`).
  const isShown = useDeferredValue(data !== undefined);
  if (data === undefined || !isShown) return notice ?? <Outline {...shape} />;
  return (
    <>
      {notice}
      {children(data)}
    </>
  );
}
