import { createParser } from 'eventsource-parser';
import { toFailure } from '../api/api-failure.ts';
import { consoleHeaders } from '../api/read-half.ts';
import type { StreamEvent } from '../api/shapes.ts';
import { compact } from '../search/read-search.ts';

/** Which events the server sends. */
export interface StreamFilter {
  agent_id?: string | undefined;
  session_id?: string | undefined;
}

/** Longest message that is kept, in UTF-16 units: the API's are much shorter. */
const longestMessage = 256 * 1_024;

/**
 * Reads one connection of the live stream until it ends. (The browser's own EventSource sends no headers.)
 *
 * @param onEvents called with what each read brought
 * @param onOpen called once the server sends every event recorded from now on
 * @throws ApiFailure where the server refuses; TypeError where it is gone
 */
export async function readEventStream(
  filter: StreamFilter,
  { onEvents, onOpen, signal }: { onEvents: (events: StreamEvent[]) => void; onOpen: () => void; signal: AbortSignal },
): Promise<void> {
  const query = new URLSearchParams(compact({ ...filter, expand: 'agent' }) as Record<string, string>);
  const headers = { ...consoleHeaders(), Accept: 'text/event-stream' };
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
