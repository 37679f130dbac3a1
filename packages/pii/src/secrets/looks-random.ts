import { isAsciiLetter, isDigit } from '../characters.ts';

const placeholder = /example|placeholder|redacted|change.?me|your[_-]|[_-]here\b|abcdefgh|12345678/i;

/** Whether a text says of itself that it only stands for a secret, as in documentation. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

function kindOf(unit: number): number {
  if (isDigit(unit)) return 1;
  if (!isAsciiLetter(unit)) return 0;
  return unit < 97 ? 2 : 3;
}

/**
 * Whether a key may have been drawn by chance: in what people write, digits, capitals and small letters keep together, and
 * in a fill-in the same character is repeated. Of random hex keys of 32 digits fewer than one in a hundred is missed.
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
