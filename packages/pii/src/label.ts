/** What stands in place of a value, such as `[email k7p2mz]`: a kind, and signs that tell its values apart. All of its syntax is here. */

/** Without vowels no word comes of them; `x` stands for signs that are not told. */
const letters = 'bcdfghjklmnpqrstvwz';
const signs = `${letters}0123456789`;

/** Signs of a label, and of one whose first signs are taken by another value. */
export const labelLengths = [6, 8] as const;

/** @param digest bytes of a keyed hash, one at least for each sign */
export function spellSigns(digest: Uint8Array, length: number): string {
  // A letter before each digit: no detector takes them for a number.
  return Array.from(digest.subarray(0, length), (byte, at) => {
    const alphabet = at % 2 === 0 ? letters : signs;
    return alphabet[byte % alphabet.length];
  }).join('');
}

/** @param kind letters, digits and `_`, up to 64 @param told null if nothing tells its values apart */
export const writeLabel = (kind: string, told: string | null): string =>
  told === null ? `[${kind}]` : `[${kind} ${told}]`;

/** The kind that a label names. */
export const kindOfLabel = (label: string): string => label.slice(1, label.indexOf(' '));

/** Matches each label of a text. */
export const labelPattern = /\[[a-z][a-z0-9_]{0,63} (?:[bcdfghjklmnpqrstvwz][bcdfghjklmnpqrstvwz0-9]){3,4}\]/g;

const longest = 75;
const open = /\[(?:[a-z][a-z0-9_]{0,63}(?: [bcdfghjklmnpqrstvwz0-9]{0,8}\]?)?)?$/;

/** Where the end of a text begins that may be a label once more text comes, or is one that more text would touch; its length if none. */
export function findOpenLabel(text: string): number {
  const from = Math.max(0, text.length - longest);
  const at = open.exec(text.slice(from))?.index;
  return at === undefined ? text.length : from + at;
}
