import type { StreamEvent } from '@agp/core/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { isSignedOut } from '../api/api-failure.ts';
import { sessionKey } from '../api/session.ts';
import { type FollowState, followEvents, type StreamFilter } from './follow-events.ts';
import { LiveBuffer } from './live-buffer.ts';
import { RateMeter } from './rate-meter.ts';

/** Time between two drawings of the list, in milliseconds: faster, nobody can read. */
const drawMs = 200;

/** What the tail shows. */
interface LiveView {
  rows: readonly StreamEvent[];
  /** How many wait while it is held. */
  waiting: number;
  perMinute: number;
  state: FollowState;
}

/** Follows the live stream into a bounded list. @param matches must stay the same function while the filter does */
export function useLiveEvents({ agent_id, session_id }: StreamFilter, matches: (event: StreamEvent) => boolean) {
  const queries = useQueryClient();
  const buffer = useRef(new LiveBuffer<StreamEvent>());
  const held = useRef(false);
  const [view, setView] = useState<LiveView>({ rows: [], waiting: 0, perMinute: 0, state: { kind: 'connecting' } });

  useEffect(() => {
    const own = new LiveBuffer<StreamEvent>();
    buffer.current = own;
    if (held.current) own.hold();
    const meter = new RateMeter();
    const stop = new AbortController();
    let state: FollowState = { kind: 'connecting' };
    let frame = 0;
    const draw = () => {
      frame = 0;
      const { rows, waitingCount: waiting } = own;
      setView({ rows, waiting, perMinute: meter.perMinute(Date.now()), state });
    };
    // Hidden pages get no frames: then nothing is drawn and the buffer stays bounded.
    const timer = setInterval(() => (frame ||= requestAnimationFrame(draw)), drawMs);
    draw();
    void followEvents(
      { agent_id, session_id },
      {
        signal: stop.signal,
        onEvents: (events) => {
          const added = own.add(events.filter(matches));
          meter.add(added, Date.now());
        },
        onState: (next) => {
          state = next;
          if (next.kind === 'lost' && isSignedOut(next.error)) void queries.invalidateQueries({ queryKey: sessionKey });
        },
      },
    );
    return () => {
      stop.abort();
      clearInterval(timer);
      cancelAnimationFrame(frame);
    };
  }, [agent_id, session_id, matches, queries]);

  /** Keeps the rows where they are, or lets them go on. */
  const hold = useCallback((isHeld: boolean) => {
    held.current = isHeld;
    if (isHeld) buffer.current.hold();
    else buffer.current.release();
    const { rows, waitingCount: waiting } = buffer.current;
    setView((before) => ({ ...before, rows, waiting }));
  }, []);
  return { ...view, hold };
}

const countEveryMs = 500;
/** Ids that are remembered, so that an event that comes twice counts once. */
const most = 10_000;

/** Counts the events recorded since a list was read, 10,000 at most. @param since begins a new count */
export function useNewCount(
  { agent_id, session_id }: StreamFilter,
  { matches, since, enabled }: { matches: (event: StreamEvent) => boolean; since: number; enabled: boolean },
): number {
  const [count, setCount] = useState(0);
  // A new reading (`since`) begins a new count.
  useEffect(() => {
    setCount(0);
    if (!enabled) return;
    const stop = new AbortController();
    const ids = new Set<string>();
    const timer = setInterval(() => setCount(ids.size), countEveryMs);
    void followEvents(
      { agent_id, session_id },
      {
        signal: stop.signal,
        onState: () => {},
        onEvents: (events) => {
          for (const event of events) {
            // What ended before the list was read is in it, unless it was recorded late: then it is new.
            if (ids.size < most && matches(event)) ids.add(event.id);
          }
        },
      },
    );
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [agent_id, session_id, matches, since, enabled]);
  return count;
}
