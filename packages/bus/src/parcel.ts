import { headers, type MsgHdrs } from 'nats';

/** One event a line, as JSON: publishing, storing and acknowledging cost about the same for sixteen events as for one. */
export const maxEventsInMessage = 16;

/** What proxies of a later version may put into one message. With more line feeds it is none of ours. */
const mostEvents = 4 * maxEventsInMessage;

const lineFeed = 0x0a;

export function packEvents(events: readonly string[]): Uint8Array {
  return Buffer.from(events.join('\n'));
}

/** A message of too many lines stays whole, since each would be set aside by itself. */
export function unpackEvents(bytes: Uint8Array): Uint8Array[] {
  const events: Uint8Array[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start);
    const end = found < 0 ? bytes.length : found;
    if (events.length === mostEvents) return [bytes];
    events.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return events;
}

export function writeHeaders(messageId: string): MsgHdrs {
  const written = headers();
  written.set('Nats-Msg-Id', messageId);
  return written;
}
