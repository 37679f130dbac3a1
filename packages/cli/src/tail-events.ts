import { setTimeout as wait } from 'node:timers/promises';
import {
  type ListedEvent,
  listedEventListSchema,
  maxPageSize,
  type StreamEvent,
  streamEventSchema,
} from '@agp/core/contracts';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type Api, parseAnswer, writeQuery } from './api.ts';
import { ApiFailure, CliError } from './cli-error.ts';

interface EventFilter {
  agent_id?: string | undefined;
  session_id?: string | undefined;
  expand?: 'agent,outcome' | undefined;
}

/** Events that were recorded after a time, the oldest first. */
interface Backlog {
  events: ListedEvent[];
  /** When reading began, by the server's clock, in milliseconds since 1970. */
  readAt: number;
}

function toStreamEvent(event: ListedEvent): StreamEvent {
  const { direction: _direction, provider: _provider, total_tokens: _total, pii_types, ...shown } = event;
  return pii_types.length > 0 ? { ...shown, pii_types } : shown;
}

/** Reads all events recorded after a time, page by page. */
export async function readBacklog(api: Api, filter: EventFilter, since: number | null): Promise<Backlog> {
  let page = await api.get('/api/v1/events', listedEventListSchema, {
    ...filter,
    limit: since === null ? 1 : maxPageSize,
    recorded_after: since === null ? undefined : new Date(since).toISOString(),
  });
  const readAt = page.answeredAt;
  if (since === null) return { events: [], readAt };
  const events = [...page.data];
  while (page.next !== null) {
    page = await api.get(page.next, listedEventListSchema);
    events.push(...page.data);
  }
  return { events: events.reverse(), readAt };
}

/** A live event, and its JSON as received. */
interface LiveEvent {
  event: StreamEvent;
  text: string;
}

/** Silence after which a stream counts as lost, in milliseconds: three missed keepalive comments. */
const silenceMs = 45_000;

/** Opens the live stream; once its headers have arrived it sends every event recorded from then on. */
export async function openLiveStream(
  api: Api,
  filter: EventFilter,
  signal: AbortSignal,
): Promise<AsyncGenerator<LiveEvent>> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const abort = AbortSignal.any([signal, silence.signal]);
  const path = writeQuery('/api/v1/events/stream', { ...filter });
  const response = await api.open(path, 'text/event-stream', abort).catch((error: unknown) => {
    clearTimeout(timer);
    if (silence.signal.aborted) throw new ApiFailure('The live stream does not answer.', null);
    throw error;
  });
  const noteLife = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      timer.refresh();
      controller.enqueue(chunk);
    },
  });
  async function* read(): AsyncGenerator<LiveEvent> {
    try {
      const messages = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
        .pipeThrough(noteLife)
        .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
        .pipeThrough(new EventSourceParserStream());
      for await (const { event, data } of messages) {
        if (event === 'agent_event') yield { event: parseAnswer(data, streamEventSchema, path), text: data };
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      // Cut off: the backlog has what was lost.
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }
  return read();
}

/** Remembers the latest ids; what it gives tells whether an id is new. The oldest are forgotten beyond `max`. */
function rememberIds(max: number): (id: string) => boolean {
  const ids = new Set<string>();
  return (id) => {
    if (ids.has(id)) return false;
    ids.add(id);
    const [oldest] = ids;
    if (ids.size > max && oldest !== undefined) ids.delete(oldest);
    return true;
  };
}

interface TailOptions {
  filter: EventFilter;
  /** Aborted to end the tail. */
  signal: AbortSignal;
  /** Called once for each event. */
  onEvent(event: LiveEvent): Promise<void>;
  /** Called with one line when the connection is lost and when it is back. */
  onNotice(text: string): void;
}

/** Announcements follow commits by up to half of this, and clocks differ (docs/api.md, the live stream). Milliseconds. */
const marginMs = 60_000;
/** Remembered ids: more than the events of a minute at any rate that fits a terminal. */
const rememberedIds = 200_000;
const longestPauseMs = 5_000;

/**
 * Follows the events that are recorded from now on, until `signal` is aborted. Each time the stream opens, the list is read from a minute
 * before the last known event on, so that none is missed or repeated.
 */
export async function tailEvents(api: Api, { filter, signal, onEvent, onNotice }: TailOptions): Promise<void> {
  const isNew = rememberIds(rememberedIds);
  const { readAt } = await readBacklog(api, filter, null);
  let since = readAt - marginMs;
  // Existing events are not shown, but must be known so that they are not shown later.
  for (const { id } of (await readBacklog(api, filter, since)).events) isNew(id);

  async function tell(live: LiveEvent): Promise<void> {
    since = Math.max(since, Date.parse(live.event.timestamp) - marginMs);
    if (isNew(live.event.id) && !signal.aborted) await onEvent(live);
  }

  async function follow(onOpen: () => void): Promise<void> {
    const stream = await openLiveStream(api, filter, signal);
    try {
      const { events } = await readBacklog(api, filter, since);
      onOpen();
      for (const event of events.map(toStreamEvent)) await tell({ event, text: JSON.stringify(event) });
      for await (const live of stream) await tell(live);
    } finally {
      await stream.return(undefined);
    }
  }

  let failures = 0;
  while (!signal.aborted) {
    let pauseMs = Math.min(250 * 2 ** failures, longestPauseMs);
    try {
      await follow(() => {
        if (failures > 0) onNotice('connected again');
        failures = 0;
        pauseMs = 250;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiFailure && error.mayPass)) throw error;
      if (failures === 0) onNotice(`${error.message} (trying again)`);
      failures += 1;
      pauseMs = Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1_000);
    }
    await wait(pauseMs, undefined, { signal }).catch(() => {});
  }
}
