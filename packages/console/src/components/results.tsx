import type { CostUsageEntry } from '@agp/core/contracts';
import { describeOutcome, formatCount, formatEstimate, formatShare } from '@agp/core/explain';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiQuery } from '../api/api.ts';
import type { EventsSearch } from '../search/screen-searches.ts';
import { Cost } from './cost.tsx';
import { type Column, figureColumn } from './list.tsx';

const manyFailed = 0.05;

/** The part of requests that failed, with a link to them; how many on hover. @param search what else narrows them; null if no list is of them */
export function Errors({ of, search }: { of: CostUsageEntry; search: EventsSearch | null }) {
  const { failed_count: failed, request_count: all } = of;
  const look = {
    title: `${formatCount(failed)} of ${formatCount(all)} failed or were answered with an error`,
    className: failed > manyFailed * all ? 'tone-bad' : undefined,
    children: all === 0 ? '–' : formatShare(failed / all),
  };
  return failed > 0 && search !== null ? (
    <Link to="/events" search={{ ...search, failed: true }} {...look} />
  ) : (
    <span {...look} />
  );
}

/** What p50 leaves out: durations of the slowest, and the time to the first token. */
export function Latencies({ of }: { of: CostUsageEntry }) {
  const { p95_ms, first_byte_p50_ms: half, first_byte_p95_ms: most } = of;
  const firstByte = half === null ? 'not recorded' : `${formatEstimate(half)}, p95 ${formatEstimate(most)}`;
  return (
    <span className="small dim">
      p95 {formatEstimate(p95_ms)} · first byte p50 {firstByte}
    </span>
  );
}

/** Failures that are looked at, and how often, in milliseconds. */
const latest = { count: 100, refreshMs: 60_000 };

/** How the latest failures ended, those first that were most: `429 ×5, 500 ×2`; of more it says of how many. */
export function Endings({ search }: { search: EventsSearch }) {
  const query = { ...search, failed: true, limit: latest.count, expand: 'outcome' as const };
  const { data } = useQuery({ ...apiQuery('/api/v1/events', { query }), refetchInterval: latest.refreshMs });
  const events = data?.data ?? [];
  const counts = [...Map.groupBy(events, (event) => describeOutcome(event).short)]
    .map(([ending, { length }]) => ({ ending, length }))
    .toSorted((one, other) => other.length - one.length);
  return (
    <>
      {counts
        .slice(0, 4)
        .map(({ ending, length }) => `${ending} ×${length}`)
        .join(', ')}
      {events.length === latest.count && ` of the latest ${latest.count}`}
    </>
  );
}

/** What sums cost, how their requests ended, and how long they took. @param searchOf what tells a row's events */
export const resultColumns = (
  searchOf: (row: CostUsageEntry) => EventsSearch | null,
  unpricedOf?: (row: CostUsageEntry) => number | undefined,
): Column<CostUsageEntry>[] => [
  {
    head: 'Cost',
    right: true,
    by: ({ total_cost_usd }) => total_cost_usd,
    cell: (row) => (
      <Cost usd={row.total_cost_usd} tokens={row.total_tokens} model={row.model} unpriced={unpricedOf?.(row)} />
    ),
  },
  figureColumn('Requests', ({ request_count }) => request_count, formatCount),
  {
    head: 'Errors',
    right: true,
    by: (row) => row.failed_count / row.request_count,
    cell: (row) => <Errors of={row} search={searchOf(row)} />,
  },
  { head: 'p50', right: true, by: ({ p50_ms }) => p50_ms, cell: ({ p50_ms }) => formatEstimate(p50_ms) },
  { head: 'p95', right: true, wide: true, by: ({ p95_ms }) => p95_ms, cell: ({ p95_ms }) => formatEstimate(p95_ms) },
];
