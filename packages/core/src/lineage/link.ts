import { createHash } from 'node:crypto';
import type { EventMessage } from '../events/event-message.ts';
import { buildPayload } from './build-payload.ts';

/** The end of a session's chain: how many events it has, and the hash of the last one. */
export interface LineageHead {
  length: number;
  hash: string;
}

/** An event that has its place in a chain. */
export interface LinkedEvent {
  event: EventMessage;
  seq: number;
  payload: string;
  lineageHash: string;
}

/** The head of a chain without events. `genesis` stands where the previous hash would (interface.md section 2.2). */
export const emptyHead: LineageHead = { length: 0, hash: 'genesis' };

/** `sha256:` and the hex SHA-256 of the UTF-8 bytes of the previous hash followed by the payload. */
export function hashLink(previousHash: string, payload: string): string {
  return `sha256:${createHash('sha256').update(previousHash).update(payload).digest('hex')}`;
}

/** Appends events of one session to its chain, in the order given. */
export function link(head: LineageHead, events: readonly EventMessage[]): { head: LineageHead; linked: LinkedEvent[] } {
  const linked: LinkedEvent[] = [];
  let { length, hash } = head;
  for (const event of events) {
    const payload = buildPayload(event, length);
    hash = hashLink(hash, payload);
    linked.push({ event, seq: length, payload, lineageHash: hash });
    length += 1;
  }
  return { head: { length, hash }, linked };
}
