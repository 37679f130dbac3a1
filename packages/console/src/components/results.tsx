import { formatCount, formatDuration, formatShare } from '../format/format.ts';
import type { Column } from './list.tsx';

interface Results {
  request_count: number;
  failed_count: number;
  /** Milliseconds; null without any. */
  p50_ms: number | null;
  p95_ms: number | null;
}

const manyFailed = 0.05;

/** The part of requests that failed; how many on hover. */
export function Errors({ of: { failed_count: failed, request_count: all } }: { of: Results }) {
  if (all === 0) return <span className="dim">–</span>;
  return (
    <span
      title={`${formatCount(failed)} of ${formatCount(all)} failed or were answered with an error`}
      className={failed > manyFailed * all ? 'tone-bad' : undefined}
    >
      {formatShare(failed / all)}
    </span>
  );
}

/** Estimated from counts in buckets. */
export const formatQuantile = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));

/** How the requests of sums ended, and how long they took. */
export const resultColumns: Column<Results>[] = [
  { head: 'Requests', right: true, cell: ({ request_count }) => formatCount(request_count) },
  { head: 'Errors', right: true, cell: (row) => <Errors of={row} /> },
  { head: 'p50', right: true, cell: ({ p50_ms }) => formatQuantile(p50_ms) },
  { head: 'p95', right: true, cell: ({ p95_ms }) => formatQuantile(p95_ms) },
];
