import { isAsciiLetter, isDigit } from '../text/characters.ts';

const placeholder = /example|placeholder|redacted|change.?me|your[_-]|[_-]here\b|abcdefgh|12345678/i;

/** Whether a text is only a placeholder for a secret, as in documentation. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

function kindOf(unit: number): number {
  if (isDigit(unit)) return 1;
  if (!isAsciiLetter(unit)) return 0;
  return unit < 97 ? 2 : 3;
}

/**
 * True if a key looks random: names written by people group digits, capitals and small letters, and placeholders repeat a
 * character. It misses fewer than one in a hundred random hex keys of 32 digits.
 */
export function looksRandom(key: string): boolean {
  const distinct = new Set<number>();
  let changes = 0;
  let repeated = 1;
  let last = -1;
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    distinct.add(unit);
    repeated = unit === last ? repeated + 1 : 1;
    if (repeated === 6) return false;
    const kind = kindOf(unit);
    if (kind > 0 && kindOf(last) > 0 && kind !== kindOf(last)) changes++;
    last = unit;
  }
  return distinct.size >= 10 && changes * 5 >= key.length && !isPlaceholder(key);
}
