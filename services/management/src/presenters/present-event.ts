import type { AgentEvent, Event, SessionEvent, StreamEvent } from '@agp/core/contracts';
import type { AnnouncedEvent } from '@agp/core/events';
import type { EventRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** An event with all its fields. */
export const presentEvent = (row: EventRow): Event => presentRow(row, 'evt');

/** An event in its agent's list, which omits some fields. */
export function presentAgentEvent(row: EventRow): AgentEvent {
  const { direction, provider, total_tokens, pii_types, ...shown } = presentEvent(row);
  return shown;
}

/** An event in its session's detail. */
export function presentSessionEvent(row: EventRow): SessionEvent {
  const { provider, ...shown } = presentEvent(row);
  return shown;
}

/** An event on the live stream. */
export function presentStreamEvent(event: AnnouncedEvent): StreamEvent {
  const { pii_types, ...shown } = event;
  return pii_types.length > 0 ? { ...shown, pii_types } : shown;
}
