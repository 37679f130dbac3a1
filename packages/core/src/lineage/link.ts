import type { EventMessage } from '../events/event-message.ts';
import { buildPayload } from './build-payload.ts';
import { hashLink, type LineageHead } from './chain.ts';

export interface LinkedEvent {
  event: EventMessage;
  seq: number;
  payload: string;
  lineageHash: string;
}

/** Gives an event the next place in its session's chain. */
export function link(head: LineageHead, event: EventMessage): LinkedEvent {
  const payload = buildPayload(event, head.length);
  return { event, seq: head.length, payload, lineageHash: hashLink(head.hash, payload) };
}

export function headAfter({ seq, lineageHash }: LinkedEvent): LineageHead {
  return { length: seq + 1, hash: lineageHash };
}
