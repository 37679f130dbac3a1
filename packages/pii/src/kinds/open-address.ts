import { addressWords, reach } from './address-parts.ts';
import { countries, endsWord, isCapital, joinedTypes, longestWord, plainTypes, wordsBefore } from './address-words.ts';
import { visitNumbers } from './detect-digits.ts';
import { type Cluster, continues, followNumber } from './postal-address.ts';

/** Where an address begins that more text would make, change or end; the text's length if none does. */
export function findOpenAddress(text: string): number {
  let next = findFirstWord(text, text.length);
  let cluster: Cluster | null = null;
  let isCut = false;
  visitNumbers(text, (start, end) => {
    if (isCut) return;
    isCut = text.length - end < longestCode || sixWords.test(text.slice(end, end + longestBehind));
    if (isCut) next = Math.min(next, findFirstWord(text, start));
    else cluster = followNumber(text, start, end, cluster);
  });
  const open = cluster as Cluster | null;
  const isOpen = open !== null && continues(text, open, { kind: 'street', start: next, end: next });
  return isOpen ? Math.min(open.start, next) : next;
}

/** How many units behind a number decide that are no words: those of a code, or of a number that goes on. */
const longestCode = 14;
const longestBehind = (reach + 1) * (longestWord + 3);
/** Up to six words to the text's end; a comma ends the last. */
const sixWords =
  /^[A-Za-z]?(?:[ \u00a0]{1,3}[^\0-"\u00a0\u202f\u201c\u201d()[\]{}<>|=;:!?*`$%&+~@\\_]{1,24}(?<!,)){0,5}(?:[ \u00a0]{1,3}[^\0-"\u00a0\u202f\u201c\u201d()[\]{}<>|=;:!?*`$%&+~@\\_]{0,24})?$/;

const namesOfCountries = [...countries].map((name) => name.split(' ', 1)[0] as string);
const firstWords = new Set([...addressWords, ...'apo fpo dpo o po p.o post'.split(' '), ...namesOfCountries]);

/** Where an address may begin whose number, or a word before it, comes at the offset. */
function findFirstWord(text: string, at: number): number {
  let first = at;
  while (at - first < longestWord && !endsWord(text.charCodeAt(first - 1))) first--;
  const before = wordsBefore(text, first, reach);
  for (const [index, word] of before.entries()) {
    // In small letters a street's name counts before few words, of which one may be cut off.
    const isBeforeStreet = index === 0 || (index === 1 && plainTypes.has(before[0]?.plain ?? ''));
    const isNumbered = /^\d|\d$/.test(word.text);
    const isNamed = isCapital(word) || firstWords.has(word.plain) || joinedTypes.test(word.plain);
    if (isBeforeStreet || isNumbered || isNamed) first = word.start;
  }
  return first;
}
