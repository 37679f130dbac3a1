import { writeLabel } from '@agp/pii/label';
import { nameKind } from './data-rules.ts';
import type { Put } from './data-schema.ts';

/** Fewer letters and digits than these are hidden whole. */
const leastShown = 9;

/**
 * What stands in place of a value: letters, digits, spaces, `[]*_` alone, which no JSON escapes.
 * @param told signs of its label, or 12 of its hash; null if there are none
 */
export function writePut(how: Put, kind: string, value: string, told: string | null): string {
  if (how !== 'last_four') return writeLabel(nameKind(kind), told);
  const plain = value.replace(/[^\p{L}\p{Nd}]/gu, '');
  return `****${plain.length < leastShown ? '' : [...plain].slice(-4).join('')}`;
}
