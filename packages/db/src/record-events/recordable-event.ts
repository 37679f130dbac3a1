import type { EventMessage } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { LinkedEvent } from '@agp/core/lineage';

export interface RecordableEvent {
  event: EventMessage;
  id: string;
  agentId: string;
}

export type RecordableLink = RecordableEvent & LinkedEvent;

export function toRecordable(event: EventMessage): RecordableEvent {
  return { event, id: uuidOf('evt', event.id), agentId: uuidOf('agt', event.agent_id) };
}
