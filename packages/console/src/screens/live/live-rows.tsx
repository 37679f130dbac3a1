import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type RefObject } from 'react';
import type { StreamEvent } from '../../api/shapes.ts';
import { formatCount } from '../../format/format-count.ts';
import { formatExactUsd, formatUsd } from '../../format/format-money.ts';
import { formatTime, formatUtc } from '../../format/format-time.ts';

/** As `styles/live.css` has it. */
const rowHeight = 40;
const overscan = 8;

interface Props {
  rows: readonly StreamEvent[];
  scroller: RefObject<HTMLElement | null>;
  /** Called as one scrolls: true where the newest is out of sight. */
  onAway: (away: boolean) => void;
}

const Row = memo(({ event, top, place, count }: { event: StreamEvent; top: number; place: number; count: number }) => (
  <li className="live-row" aria-posinset={place} aria-setsize={count} style={{ transform: `translateY(${top}px)` }}>
    <span title={formatUtc(event.timestamp)}>
      <Link to="/events/$eventId" params={{ eventId: event.id }} preload={false}>
        {formatTime(event.timestamp)}
      </Link>
    </span>
    <span>
      <Link to="/agents/$agentId" params={{ agentId: event.agent_id }} preload={false}>
        {event.agent_name ?? event.agent_id}
      </Link>
    </span>
    <span className="hide-narrow">{event.model}</span>
    <span className="hide-narrow right">{formatCount(event.prompt_tokens + event.completion_tokens)} tokens</span>
    <span className="right" title={formatExactUsd(event.cost_usd)}>
      {formatUsd(event.cost_usd)}
    </span>
    <span className="live-pii hide-narrow">
      {event.pii_detected && (
        <span className="pill" data-tone="warn" title={event.pii_types?.join(', ')}>
          {event.pii_types?.[0]?.replaceAll('_', ' ') ?? 'personal data'}
        </span>
      )}
    </span>
  </li>
));

/** The tail: of thousands of rows only those in sight are drawn. */
export function LiveRows({ rows, scroller, onAway }: Props) {
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
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
