import type { EventMessage } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { LinkedEvent } from '@agp/core/lineage';

/** An event with its ids as Postgres stores them. */
export interface RecordableEvent {
  event: EventMessage;
  id: string;
  agentId: string;
}

/** An event that has its place in its session's chain. */
export type RecordableLink = RecordableEvent & LinkedEvent;

/** @throws TypeError for ids that the event schema does not let pass */
export function toRecordable(event: EventMessage): RecordableEvent {
  return { event, id: uuidOf('evt', event.id), agentId: uuidOf('agt', event.agent_id) };
}
