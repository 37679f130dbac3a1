import { createHash } from 'node:crypto';
import type { EventMessage } from '@agp/core/events';
import { uuidOf } from '@agp/core/ids';
import type { LinkedEvent } from '@agp/core/lineage';

export interface RecordableEvent {
  event: EventMessage;
  id: string;
  agentId: string;
  /** UUID of its labels; null without any. */
  labelSet: string | null;
}

export type RecordableLink = RecordableEvent & LinkedEvent;

export function toRecordable(event: EventMessage): RecordableEvent {
  const labelSet = event.labels ? nameLabelSet(event.labels) : null;
  return { event, id: uuidOf('evt', event.id), agentId: uuidOf('agt', event.agent_id), labelSet };
}

/** The same whatever the order of the labels. */
function nameLabelSet(labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 32);
}
