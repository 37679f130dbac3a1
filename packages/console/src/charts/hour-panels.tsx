import type { CostUsageEntry } from '@agp/core/contracts';
import { formatEstimate } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { apiQuery, usageQuery } from '../api/api.ts';
import { FailureNotice } from '../components/feedback.tsx';
import { Stat } from '../components/layout.tsx';
import { Endings, Errors, Latencies } from '../components/results.tsx';
import { TimeStamp } from '../components/values.tsx';
import { actionNames, formatShortCount, nameActor, nameEntry, tellChange } from '../format/format.ts';
import type { EventsSearch } from '../search/screen-searches.ts';
import type { HourFigure, Mark } from './chart.tsx';
import { fillHours } from './chart-data.ts';
import { HourChart } from './lazy-charts.tsx';

/** Hours change slowly: once a minute, in milliseconds. */
const refreshMs = 60_000;
const hourMs = 3_600_000;
const height = 150;
const mostMarks = 200;

/** What people do that may explain a curve: blocks, pauses, policies, caps, limits and keys. */
const marked = Object.keys(actionNames)
  .filter((action) => /^(?:agent\.update|pause|policy|budget|limit|key)/.test(action))
  .join(',');

/** What people changed since a time, of all or of one agent. */
function useMarks(from: string | undefined, agent_id: string | undefined): readonly Mark[] {
  const { data } = useQuery({
    ...apiQuery('/api/v1/audit', { query: { from, agent_id, action: marked, limit: mostMarks, expand: 'agent' } }),
    enabled: from !== undefined,
    refetchInterval: refreshMs,
  });
  return useMemo(
    () =>
      (data?.data ?? []).map((entry) => ({
        at: Date.parse(entry.timestamp),
        text: [nameEntry(entry), entry.agent_name, tellChange(entry), `by ${nameActor(entry.actor)}`]
          .filter(Boolean)
          .join(' · '),
      })),
    [data],
  );
}

interface Panel {
  figure: HourFigure;
  name: string;
  value: ReactNode;
  note?: ReactNode;
}

/**
 * How many requests there were and how they failed, how long they took and what they used, of a sum if it is known.
 * @param search what tells these requests
 * @param more what else became of some
 * @param time behind the names
 */
export const listPanels = (all: CostUsageEntry | undefined, search: EventsSearch, more = '', time = ''): Panel[] => [
  {
    ...{ figure: 'requests', name: `Requests${time}`, value: all && formatShortCount(all.request_count) },
    note: all && (
      <span className="small">
        <Errors of={all} search={search} /> failed
        {all.failed_count > 0 && ': '}
        {all.failed_count > 0 && <Endings search={search} />}
        {more}
      </span>
    ),
  },
  {
    ...{ figure: 'durations', name: 'p50 (half took less)', value: all && formatEstimate(all.p50_ms) },
    note: all && <Latencies of={all} />,
  },
  {
    ...{ figure: 'tokens', name: `Tokens${time}`, value: all && formatShortCount(all.total_tokens) },
    note: all && (
      <span className="small dim">
        {formatShortCount(all.total_prompt_tokens)} in, {formatShortCount(all.total_completion_tokens)} out
      </span>
    ),
  },
];

interface HourPanelsProps {
  /** As the API takes it. */
  from: string;
  /** Whose they are; all agents', if not given. */
  of?: Pick<EventsSearch, 'agent_id' | 'provider' | 'model'>;
  /** The first one leads. */
  panels: readonly Panel[];
}

/**
 * Figures of a time, each with its hours below: one cursor is over all, and who drags over some sees only these, as the address then says.
 */
export function HourPanels({ from, of = {}, panels }: HourPanelsProps) {
  // Two hours would fill no chart.
  const isShort = from === '1h';
  const { agent_id, ...named } = of;
  const [group] = Object.keys(named) as (keyof typeof named)[];
  const { data, error } = useQuery({
    ...usageQuery({ from, agent_id }, ['hour', ...(group ? [group] : [])]),
    ...{ refetchInterval: refreshMs, enabled: !isShort },
  });
  const since = data?.data.from ?? undefined;
  const marks = useMarks(since, agent_id);
  const { zoom_from: first, zoom_to: last } = useSearch({ strict: false });
  const zoom = first !== undefined && last !== undefined ? { from: first, to: last } : null;
  const navigate = useNavigate();
  const setZoom = (next: { from: string; to: string } | null) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, zoom_from: next?.from, zoom_to: next?.to })) as never,
      resetScroll: false,
    });
  useHotkeys([['Escape', () => zoom && setZoom(null)]]);
  const name = group && of[group];
  const hours = useMemo(() => {
    const usage = (data?.data.usage ?? []).filter((entry) => group === undefined || entry[group] === name);
    const all = since === undefined ? [] : fillHours(usage, Date.parse(since), Date.now());
    return first === undefined || last === undefined
      ? all
      : all.filter(({ at }) => at >= Date.parse(first) && at < Date.parse(last));
  }, [data, since, first, last, group, name]);
  const choose = (from: number, to: number) => {
    const hour = (time: number) => new Date(time * hourMs).toISOString();
    setZoom({ from: hour(Math.floor(from / hourMs)), to: hour(Math.ceil(to / hourMs)) });
  };
  return (
    <>
      {error && <FailureNotice error={error} />}
      {zoom && (
        <div className="chips">
          <span className="small">
            The charts show <TimeStamp at={zoom.from} /> to <TimeStamp at={zoom.to} />
          </span>
          <Link to="/events" search={{ ...zoom, ...of }} className="small">
            Its events
          </Link>
          <Button size="compact-xs" variant="default" onClick={() => setZoom(null)}>
            Show all hours (Esc)
          </Button>
        </div>
      )}
      <div className="panels">
        {panels.map(({ figure, name, value, note }) => (
          <div key={figure} className="card panel">
            <Stat name={name} figure={value}>
              {note}
            </Stat>
            {!isShort && (
              <div style={{ minHeight: height }}>
                {hours.length > 0 && (
                  <HourChart figure={figure} hours={hours} height={height} marks={marks} onRange={choose} />
                )}
              </div>
            )}
          </div>
        ))}
      </div>
    </>
  );
}
