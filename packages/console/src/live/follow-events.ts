import type { StreamEvent } from '@agp/core/contracts';
import { createParser } from 'eventsource-parser';
import { callApi } from '../api/api.ts';
import { ApiFailure, toFailure } from '../api/api-failure.ts';
import { compact } from '../search/search.ts';

/** Which events the server sends. */
export interface StreamFilter {
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

export type FollowState = { kind: 'connecting' } | { kind: 'open' } | { kind: 'lost'; error: unknown };

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
export async function followEvents(filter: StreamFilter, { onEvents, onState, signal }: Options): Promise<void> {
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
