/**
 * A message of the event stream holds one event a line, as JSON. Publishing, keeping and acknowledging cost the same for
 * sixteen events as for one, so what waits together travels together; a lone event never waits for others.
 */
export const maxEventsInMessage = 16;

const lineFeed = 0x0a;

/** Puts events, each as JSON text, into the bytes of one message. */
export function packEvents(events: readonly string[]): Uint8Array {
  return Buffer.from(events.join('\n'));
}

/** Takes a message apart. JSON text holds no line feed of its own, so that no byte of any event is lost or moved. */
export function unpackEvents(bytes: Uint8Array): Uint8Array[] {
  const events: Uint8Array[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start);
    const end = found < 0 ? bytes.length : found;
    events.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return events;
}
