import { useEffect, useState } from 'react';
import type { StreamEvent } from '../api/shapes.ts';
import { followEvents } from './follow-events.ts';
import type { StreamFilter } from './read-event-stream.ts';

const drawMs = 500;
/** Ids that are remembered, so that an event that comes twice counts once. */
const most = 10_000;

/**
 * Counts the events that were recorded since a list was read, for a pill that says so.
 *
 * @param since changes when the list is read anew: then the count begins again
 * @param matches must stay the same function while the filter does
 * @returns 10,000 at most
 */
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
    const timer = setInterval(() => setCount(ids.size), drawMs);
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
