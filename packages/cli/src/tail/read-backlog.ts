import { type ListedEvent, listedEventListSchema, maxPageSize, type StreamEvent } from '@agp/core/contracts';
import type { Api } from '../connect-api.ts';
import { writeQuery } from '../write-query.ts';

export interface EventFilter {
  agent_id?: string | undefined;
  session_id?: string | undefined;
  expand?: 'agent' | undefined;
}

/** Events that were recorded after a time, the oldest first. */
export interface Backlog {
  events: ListedEvent[];
  /** When reading began, by the server's clock, in milliseconds since 1970. */
  readAt: number;
}

/** An event with the fields of the live stream. */
export function toStreamEvent(event: ListedEvent): StreamEvent {
  const { direction: _direction, provider: _provider, total_tokens: _total, pii_types, ...shown } = event;
  return pii_types.length > 0 ? { ...shown, pii_types } : shown;
}

/**
 * Reads all events recorded after a time, page by page.
 *
 * @param since milliseconds since 1970; null reads only the server's time
 */
export async function readBacklog(api: Api, filter: EventFilter, since: number | null): Promise<Backlog> {
  const first = writeQuery('/api/v1/events', {
    ...filter,
    limit: since === null ? 1 : maxPageSize,
    recorded_after: since === null ? undefined : new Date(since).toISOString(),
  });
  let page = await api.get(first, listedEventListSchema);
  const readAt = page.answeredAt;
  if (since === null) return { events: [], readAt };
  const events = [...page.data];
  while (page.next !== null) {
    page = await api.get(page.next, listedEventListSchema);
    events.push(...page.data);
  }
  return { events: events.reverse(), readAt };
}
