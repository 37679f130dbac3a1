/** An SSE frame's event name, empty where it has none, and its data; null where it has no data line. */
export function readFrame(frame: string): { event: string; data: string } | null {
  let event = '';
  let data: string | null = null;
  for (const line of frame.includes('\r') ? frame.split(/\r\n|\r|\n/) : frame.split('\n')) {
    if (line.startsWith('data')) {
      const value = fieldValue(line, 4);
      if (value !== null) data = data === null ? value : `${data}\n${value}`;
    } else if (line.startsWith('event')) {
      event = fieldValue(line, 5) ?? event;
    }
  }
  return data === null ? null : { event, data };
}

/** The value after the field's name; null if the name goes on, which makes it another field. */
function fieldValue(line: string, nameLength: number): string | null {
  if (line.length === nameLength) return '';
  if (line[nameLength] !== ':') return null;
  return line.slice(line[nameLength + 1] === ' ' ? nameLength + 2 : nameLength + 1);
}
