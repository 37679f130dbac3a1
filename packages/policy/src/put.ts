import { nameKind } from './data-rules.ts';
import type { Policy } from './schema.ts';

export type Put = NonNullable<Policy['pii']>['replace_with'];

/** Fewer letters and digits than these are hidden whole. */
const leastShown = 9;

/**
 * What stands in place of a value: letters, digits, spaces, `[]*_` alone, which no JSON escapes.
 * @param number of the value in its session; null if it has none @param hash keyed, in hex; null if there is no key
 */
export function writePut(how: Put, kind: string, value: string, number: number | null, hash: string | null): string {
  const name = nameKind(kind);
  if (how === 'last_four') {
    const plain = value.replace(/[^\p{L}\p{Nd}]/gu, '');
    return `****${plain.length < leastShown ? '' : [...plain].slice(-4).join('')}`;
  }
  const told = how === 'hash' ? (hash?.slice(0, 12) ?? null) : number;
  return told === null ? `[${name}]` : `[${name} ${told}]`;
}
