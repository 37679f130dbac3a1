import {
  type ListedEvent,
  listedEventListSchema,
  maxPageSize,
  type StreamEvent,
  streamEventSchema,
} from '@agp/core/contracts';
import { type Api, readPages, writeQuery } from './api.ts';
import { keepFollowing, type Live, openLiveStream } from './live-stream.ts';

interface EventFilter {
  agent_id?: string | undefined;
  session_id?: string | undefined;
  expand?: 'agent,outcome' | undefined;
}

function toStreamEvent(event: ListedEvent): StreamEvent {
  const { direction: _direction, provider: _provider, total_tokens: _total, pii_types, ...shown } = event;
  return pii_types.length > 0 ? { ...shown, pii_types } : shown;
}

/** Reads all events recorded after a time, the oldest first. */
async function readBacklog(api: Api, filter: EventFilter, since: number): Promise<ListedEvent[]> {
  const query = { ...filter, limit: maxPageSize, recorded_after: new Date(since).toISOString() };
  return (await readPages(api, '/api/v1/events', listedEventListSchema, query)).reverse();
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
  onEvent(event: Live<StreamEvent>): Promise<void>;
  /** Called with one line when the connection is lost and when it is back. */
  onNotice(text: string): void;
}

/** Announcements follow commits by up to half of this, and clocks differ (docs/api.md, the live stream). Milliseconds. */
const marginMs = 60_000;
/** Remembered ids: more than the events of a minute at any rate that fits a terminal. */
const rememberedIds = 200_000;

/**
 * Follows the events that are recorded from now on, until `signal` is aborted. Each time the stream opens, the list is read from a minute
 * before the last known event on, so that none is missed or repeated.
 */
export async function tailEvents(api: Api, { filter, signal, onEvent, onNotice }: TailOptions): Promise<void> {
  const isNew = rememberIds(rememberedIds);
  const { answeredAt } = await api.get('/api/v1/events', listedEventListSchema, { ...filter, limit: 1 });
  let since = answeredAt - marginMs;
  // Existing events are not shown, but must be known so that they are not shown later.
  for (const { id } of await readBacklog(api, filter, since)) isNew(id);

  async function tell(live: Live<StreamEvent>): Promise<void> {
    since = Math.max(since, Date.parse(live.data.timestamp) - marginMs);
    if (isNew(live.data.id) && !signal.aborted) await onEvent(live);
  }

  const path = writeQuery('/api/v1/events/stream', { ...filter });
  const messages = { name: 'agent_event', schema: streamEventSchema };
  async function follow(onOpen: () => void): Promise<void> {
    const stream = await openLiveStream(api, path, messages, signal);
    try {
      const events = await readBacklog(api, filter, since);
      onOpen();
      for (const event of events.map(toStreamEvent)) await tell({ data: event, text: JSON.stringify(event) });
      for await (const live of stream) await tell(live);
    } finally {
      await stream.return(undefined);
    }
  }

  await keepFollowing(follow, signal, onNotice);
}
