import type { AgentEvent, ListedEvent, SessionEvent, StreamEvent } from '@agp/core/contracts';
import type { AnnouncedEvent } from '@agp/core/events';
import type { EventRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** An event with all its fields. */
export const presentEvent = (row: EventRow): ListedEvent => presentRow(row, 'evt');

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

/** An event on the live stream; with its agent's name only where that was asked for. */
export function presentStreamEvent(event: AnnouncedEvent, agent_name?: string): StreamEvent {
  const { pii_types, ...shown } = event;
  return { ...shown, ...(pii_types.length > 0 && { pii_types }), ...(agent_name !== undefined && { agent_name }) };
}
