import { parseJson } from '@agp/core/json';

/**
 * A frame's data as JSON; null where it is none.
 *
 * @param data UTF-8 with each byte as one character (latin1)
 */
export function parseFrame(data: string): unknown {
  try {
    return parseJson(Buffer.from(data, 'latin1'));
  } catch {
    return null;
  }
}
