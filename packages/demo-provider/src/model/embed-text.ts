import { createHash } from 'node:crypto';

/** A unit vector that depends on the text only. */
export function embedText(text: string, dimensions: number): number[] {
  const values: number[] = [];
  for (let block = 0; values.length < dimensions; block += 1) {
    const digest = createHash('sha256').update(`${block}\n${text}`).digest();
    for (let offset = 0; offset < digest.length && values.length < dimensions; offset += 2) {
      values.push(digest.readInt16BE(offset) / 32_768);
    }
  }
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}
