import { isUtf8 } from 'node:buffer';
import type { DeliveredEvent } from '@agp/bus';
import { type EventMessage, eventMessageSchema } from '@agp/core/events';
import { parseJson } from '@agp/core/json';

export interface HeldEvent {
  event: EventMessage;
  delivered: DeliveredEvent;
}

export interface Undecodable {
  code: 'not_utf8' | 'not_json' | 'not_an_event' | 'not_proxied';
  /** Names the invalid fields, never their values. */
  reason: string;
}

export function decode(bytes: Uint8Array): { event: EventMessage } | Undecodable {
  if (!isUtf8(bytes)) return { code: 'not_utf8', reason: 'the bytes are not UTF-8' };
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    return { code: 'not_json', reason: `the text ${(error as Error).message}` };
  }
  const parsed = eventMessageSchema.safeParse(value);
  if (parsed.success) return { event: parsed.data };
  const faults = parsed.error.issues.map(({ path, code }) => `${path.join('.') || 'message'}: ${code}`);
  return { code: 'not_an_event', reason: faults.join(', ') };
}
