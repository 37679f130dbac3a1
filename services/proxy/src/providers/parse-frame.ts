/**
 * A frame's data as JSON; null where it is none.
 *
 * @param data UTF-8 with each byte as one character (latin1)
 */
export function parseFrame(data: string): unknown {
  try {
    return JSON.parse(Buffer.from(data, 'latin1').toString('utf8'));
  } catch {
    return null;
  }
}
