import { createHash } from 'node:crypto';
import type { EventMessage } from '../events/event-message.ts';
import { buildPayload } from './build-payload.ts';
import type { LineageHead } from './head.ts';

/** An event that has its place in a chain. */
export interface LinkedEvent {
  event: EventMessage;
  seq: number;
  payload: string;
  lineageHash: string;
}

/** `sha256:` and the hex SHA-256 of the UTF-8 bytes of the previous hash followed by the payload. */
export function hashLink(previousHash: string, payload: string): string {
  return `sha256:${createHash('sha256').update(previousHash).update(payload).digest('hex')}`;
}

/** Gives an event the next place in its session's chain. */
export function link(head: LineageHead, event: EventMessage): LinkedEvent {
  const payload = buildPayload(event, head.length);
  return { event, seq: head.length, payload, lineageHash: hashLink(head.hash, payload) };
}

/** The head of the chain that ends with this event. */
export function headAfter({ seq, lineageHash }: LinkedEvent): LineageHead {
  return { length: seq + 1, hash: lineageHash };
}
