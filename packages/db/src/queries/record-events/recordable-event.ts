import type { EventMessage } from '@agp/core/events';
import { fromPublicId } from '@agp/core/ids';
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
  const id = fromPublicId('evt', event.id);
  const agentId = fromPublicId('agt', event.agent_id);
  if (id === null || agentId === null) throw new TypeError('the event was not checked against its schema');
  return { event, id, agentId };
}
