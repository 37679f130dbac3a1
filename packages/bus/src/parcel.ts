import { parseJson } from '@agp/core/json';
import { headers, type MsgHdrs } from 'nats';

/**
 * A message of the event stream holds one event a line, as JSON. Publishing, storing and acknowledging cost about the same for sixteen
 * events as for one, so events that wait together share a message.
 */
export const maxEventsInMessage = 16;

/** What proxies of a later version may put into one message. With more line feeds it is none of ours. */
const mostEvents = 4 * maxEventsInMessage;

const lineFeed = 0x0a;

/** Puts events, each as JSON text, into the bytes of one message. */
export function packEvents(events: readonly string[]): Uint8Array {
  return Buffer.from(events.join('\n'));
}

/**
 * Splits a message into its events. JSON written on one line contains no line feed, so every byte is kept. A message of too many lines
 * stays whole: a megabyte of line feeds would otherwise be a million events, each set aside by itself.
 */
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

/**
 * The header with what is stored beside the events of a message: a JSON array with an entry for each, null where it has none. A
 * writer of 0.2.0 does not read it.
 */
const notesHeader = 'Agp-Event-Notes';

/** JetStream refuses messages whose headers are longer than 64 KiB. */
export const maxNotesLength = 48 * 1024;

/** The headers of a message. @param notes of each event, as JSON in ASCII; null for none */
export function writeHeaders(messageId: string, notes: readonly (string | null)[]): MsgHdrs {
  const written = headers();
  written.set('Nats-Msg-Id', messageId);
  if (notes.some((note) => note !== null))
    written.set(notesHeader, `[${notes.map((note) => note ?? 'null').join(',')}]`);
  return written;
}

/** The same header for a message that is published again. */
export function copyHeaders(messageId: string, from: MsgHdrs | undefined): MsgHdrs {
  const copied = headers();
  copied.set('Nats-Msg-Id', messageId);
  const notes = from?.get(notesHeader);
  if (notes) copied.set(notesHeader, notes);
  return copied;
}

/** The notes by the place of their event in the message; empty where there are none, or they cannot be read. */
export function readNotesHeader(from: MsgHdrs | undefined): readonly unknown[] {
  const text = from?.get(notesHeader);
  if (!text) return [];
  try {
    const notes = parseJson(text);
    return Array.isArray(notes) ? notes : [];
  } catch {
    return [];
  }
}
