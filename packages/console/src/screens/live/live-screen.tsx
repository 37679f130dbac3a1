import type { StreamEvent } from '@agp/core/contracts';
import { formatCount, formatUtc } from '@agp/core/explain';
import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type RefObject, useCallback, useRef, useState } from 'react';
import { CallCost } from '../../components/cost.tsx';
import { EmptyState, FailureNotice } from '../../components/feedback.tsx';
import { Filters, FlagField, SearchField } from '../../components/filters.tsx';
import { AgentField } from '../../components/known-fields.tsx';
import { Screen } from '../../components/layout.tsx';
import { NewPill } from '../../components/pager.tsx';
import { useFilters } from '../../components/use-filters.tsx';
import { OutcomePill, PiiKinds, Pill } from '../../components/values.tsx';
import { formatLocalTime } from '../../format/format.ts';
import { matchEvent } from '../../live/live-buffer.ts';
import { useLiveEvents } from '../../live/use-live-events.ts';

/** As `styles/live.css` has them. */
const rowHeight = 40;
const phoneRowHeight = 64;
const isPhone = () => window.matchMedia('(max-width: 48em)').matches;
const overscan = 8;

interface LiveRowsProps {
  rows: readonly StreamEvent[];
  scroller: RefObject<HTMLElement | null>;
  /** Called as one scrolls: true if the newest is out of sight. */
  onAway: (away: boolean) => void;
}

/** The cells of a row, with their heads. */
const cells: { head: string; className?: string; cell: (event: StreamEvent) => ReactNode }[] = [
  {
    head: 'Time',
    cell: ({ id, timestamp }) => (
      <Link to="/events/$eventId" params={{ eventId: id }} preload={false} title={formatUtc(timestamp)}>
        {formatLocalTime(timestamp)}
      </Link>
    ),
  },
  {
    head: 'Agent',
    cell: ({ agent_id, agent_name }) => (
      <Link to="/agents/$agentId" params={{ agentId: agent_id }} preload={false} title={agent_name ?? agent_id}>
        {agent_name ?? agent_id}
      </Link>
    ),
  },
  { head: 'Model', cell: ({ model }) => <span title={model}>{model}</span> },
  { head: 'Result', cell: (event) => <OutcomePill event={event} /> },
  {
    head: 'Tokens',
    className: 'right hide-narrow',
    cell: ({ prompt_tokens, completion_tokens }) => formatCount(prompt_tokens + completion_tokens),
  },
  { head: 'Cost', className: 'right', cell: (event) => <CallCost of={event} /> },
  {
    head: 'Personal data',
    cell: ({ pii_detected, pii_types = [] }) =>
      pii_detected && <PiiKinds kinds={pii_types.length > 0 ? pii_types : ['found']} />,
  },
];

const Row = memo(({ event, top, place, count }: { event: StreamEvent; top: number; place: number; count: number }) => (
  <li className="live-row" aria-posinset={place} aria-setsize={count} style={{ transform: `translateY(${top}px)` }}>
    {cells.map(({ head, className, cell }) => (
      <span key={head} className={className}>
        {cell(event)}
      </span>
    ))}
  </li>
));

/** The tail: of thousands of rows only those in sight are drawn. */
function LiveRows({ rows, scroller, onAway }: LiveRowsProps) {
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isPhone() ? phoneRowHeight : rowHeight),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan,
  });
  return (
    <section
      ref={scroller}
      className="live-scroll"
      aria-label="Events as they are recorded"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
      tabIndex={0}
      onScroll={(event) => onAway(event.currentTarget.scrollTop > rowHeight)}
    >
      <ol className="live-list" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const event = rows[index];
          return event && <Row key={key} event={event} top={start} place={index + 1} count={rows.length} />;
        })}
      </ol>
    </section>
  );
}

const route = getRouteApi('/live');

/** Events as they are recorded, the newest on top. Rows wait while somebody reads further down, or has paused them. */
export function LiveScreen() {
  const search = route.useSearch();
  const { bind, chips } = useFilters(search);
  const { text, pii, failed, agent_id, session_id } = search;
  const matches = useCallback((event: StreamEvent) => matchEvent(event, { text, pii, failed }), [text, pii, failed]);
  const { rows, waiting, perMinute, state, hold } = useLiveEvents({ agent_id, session_id }, matches);
  const [paused, setPaused] = useState(false);
  const scroller = useRef<HTMLElement>(null);
  const isAway = useRef(false);
  const pause = (isPaused: boolean) => {
    setPaused(isPaused);
    hold(isPaused || isAway.current);
  };
  const showNew = () => {
    scroller.current?.scrollTo({ top: 0 });
    isAway.current = false;
    pause(false);
  };
  return (
    <Screen
      title="Live"
      about="Each event at the moment it is recorded. This list keeps the latest 2,000."
      actions={
        <>
          <Pill tone={state.kind === 'open' ? 'good' : state.kind === 'lost' ? 'bad' : 'plain'}>
            {{ open: 'connected', connecting: 'connecting …', lost: 'connection lost, trying again' }[state.kind]}
          </Pill>
          <span className="small dim">{formatCount(perMinute)} a minute</span>
          <Button
            variant="default"
            onClick={() => pause(!paused)}
            leftSection={paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
          >
            {paused ? 'Go on' : 'Hold'}
          </Button>
        </>
      }
    >
      <Filters>
        <SearchField label="Agent, model or tag" placeholder="Has this text in it" {...bind('text')} />
        <FlagField label="Only with personal data" {...bind('pii')} />
        <FlagField label="Only failed" {...bind('failed')} />
        <AgentField {...bind('agent_id')} />
      </Filters>
      {chips}
      {state.kind === 'lost' && <FailureNotice error={state.error} />}
      <NewPill count={waiting} onShow={showNew} />
      <div className="card">
        {rows.length === 0 ? (
          <EmptyState title="Waiting for the next event">
            Events appear here as soon as they are recorded. Earlier ones are among the{' '}
            <Link to="/events" search={{ agent_id, session_id }}>
              events
            </Link>
            .
          </EmptyState>
        ) : (
          <>
            <div className="live-heads" aria-hidden>
              {cells.map(({ head, className }) => (
                <span key={head} className={className}>
                  {head}
                </span>
              ))}
            </div>
            <LiveRows
              rows={rows}
              scroller={scroller}
              onAway={(away) => {
                if (away === isAway.current) return;
                isAway.current = away;
                hold(paused || away);
              }}
            />
          </>
        )}
      </div>
    </Screen>
  );
}
