import type { StreamEvent } from '@agp/core/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { useCallback, useEffect, useRef, useState } from 'react';
import { callApi } from '../api/api.ts';
import { ApiFailure, isSignedOut, toFailure } from '../api/api-failure.ts';
import { sessionKey } from '../api/session.ts';
import { compact } from '../search/search.ts';
import { LiveBuffer, RateMeter } from './live-buffer.ts';

/** Which events the server sends. */
interface StreamFilter {
  agent_id?: string | undefined;
  session_id?: string | undefined;
}

/** Longest message that is kept, in UTF-16 units: the API's are much shorter. */
const longestMessage = 256 * 1_024;

/** Reads one connection of the live stream until it ends. (The browser's own EventSource sends no headers.) */
async function readEventStream(
  filter: StreamFilter,
  { onEvents, onOpen, signal }: { onEvents: (events: StreamEvent[]) => void; onOpen: () => void; signal: AbortSignal },
): Promise<void> {
  const query = new URLSearchParams(compact({ ...filter, expand: 'agent,outcome' }) as Record<string, string>);
  const headers = { Accept: 'text/event-stream' };
  const response = await fetch(`/api/v1/events/stream?${query}`, { headers, signal, cache: 'no-store' });
  if (!response.ok || response.body === null)
    throw toFailure('GET /api/v1/events/stream', response, await response.json().catch(() => undefined));
  onOpen();
  let batch: StreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event === 'agent_event') batch.push(JSON.parse(data) as StreamEvent);
    },
    maxBufferSize: longestMessage,
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parser.feed(part.value);
    if (batch.length > 0) onEvents(batch);
    batch = [];
  }
}

type FollowState = { kind: 'connecting' } | { kind: 'open' } | { kind: 'lost'; error: unknown };

interface Options {
  /** In the order in which they were recorded; an event may come twice. */
  onEvents: (events: StreamEvent[]) => void;
  onState: (state: FollowState) => void;
  signal: AbortSignal;
}

/** Most events that are read again after a gap: more than a screen keeps. */
const mostMissed = 1_000;
const minuteMs = 60_000;
const shortestPauseMs = 1_000;
const longestPauseMs = 15_000;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}

/** What was recorded since a minute before the last event that came. */
async function readMissed(filter: StreamFilter, lastAt: number, signal: AbortSignal): Promise<StreamEvent[]> {
  const recorded_after = new Date(lastAt - minuteMs).toISOString();
  const query = { ...filter, recorded_after, limit: mostMissed, expand: 'agent,outcome' as const };
  const { data } = await callApi('get', '/api/v1/events', { params: { query }, signal });
  return data.toReversed();
}

/** Follows events until `signal` ends it; after a lost stream what was missed is read, so that an event may come twice. */
async function followEvents(filter: StreamFilter, { onEvents, onState, signal }: Options): Promise<void> {
  let lastAt: number | null = null;
  let pauseMs = shortestPauseMs;
  const take = (events: StreamEvent[]) => {
    lastAt = Date.now();
    onEvents(events);
  };
  while (!signal.aborted) {
    onState({ kind: 'connecting' });
    let gap: Promise<void> = Promise.resolve();
    try {
      await readEventStream(filter, {
        signal,
        onEvents: take,
        onOpen: () => {
          pauseMs = shortestPauseMs;
          onState({ kind: 'open' });
          // Only now: what is recorded from here on comes by the stream.
          if (lastAt !== null) gap = readMissed(filter, lastAt, signal).then(take, () => {});
          lastAt ??= Date.now();
        },
      });
      await gap;
    } catch (error) {
      if (signal.aborted) return;
      onState({ kind: 'lost', error });
      // Nobody is signed in any more, or may not look.
      if (error instanceof ApiFailure && (error.status === 401 || error.status === 403)) return;
    }
    // Others come back at the same moment.
    await pause(pauseMs * (0.5 + Math.random()), signal);
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
  }
}

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
