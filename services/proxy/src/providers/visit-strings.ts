import { type Place, placeMember } from './place-member.ts';

/** A string of a JSON value. */
export interface Visited {
  text: string;
  /** Whether a model reads or wrote it; false for names, ids and addresses of things. */
  isRead: boolean;
  /** The member it stands in, or the list in that member; empty at the root. */
  key: string;
}

interface Item {
  key: string;
  value: unknown;
  place: Place;
}

/** A key that is a word or several, and can hold nothing but what the value is about. */
const wordy = /^[A-Za-z][A-Za-z_ -]{0,40}$/;

/** A key as programs name things. A longer or stranger one is text: whoever reads the value reads it, too. */
const plainKey = /^[\w$.-]{1,64}$/;

/** JSON in a string, which is taken apart where it is searched. */
const json = /^\s*[{["]/;

/** A tool's value as people would write it, since what it is about stands in the key. */
function label(key: string, value: string): string {
  return wordy.test(key) && !json.test(value)
    ? `${key.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2')}: ${value}`
    : value;
}

/** So long a string of nothing but base64 is a file where files stand, and nowhere else. */
const leastMedia = 1_024;
const base64 = /^(?:data:[\w.+/-]{0,120}(?:;[\w.=-]{1,120}){0,4};base64,)?[\w+/-]*={0,2}$/;
/** What a file is found by, and what a name of something looks like. */
const address = /^[a-z][a-z\d+.-]{0,20}:\S{0,4000}$/i;
const name = /^\S{0,80}$/;

/** Whether a string in the place of a file, or of its address, is one. */
const isMedia = (text: string): boolean => text.length >= leastMedia && base64.test(text);

function isLabel(text: string, place: Place): boolean {
  return name.test(text) || (place === 'media' && (base64.test(text) || address.test(text)));
}

/** Letter for letter is no way to write a text that people would use, and a model reads it all the same. */
function joinLetters(values: readonly unknown[]): string | null {
  const isLetter = (value: unknown) =>
    (typeof value === 'string' && value.length <= 2) || (typeof value === 'number' && value >= 0 && value <= 9);
  return values.length > 3 && values.every(isLetter) ? values.join('') : null;
}

/** So much of a part's beginning and end is looked at together with its neighbours. */
const seam = 256;

/** The parts of one message where they meet: a model reads them as one text. */
function joinParts(values: readonly unknown[]): string | null {
  const texts: string[] = [];
  for (const value of values) {
    const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : null;
    if (typeof text === 'string') {
      texts.push(text.length > 2 * seam ? `${text.slice(0, seam)}\n\n${text.slice(-seam)}` : text);
    }
  }
  return texts.length > 1 ? texts.join('') : null;
}

/**
 * Gives `visit` every string in some JSON values, in order, but for files in base64 in the members that are for them. What a
 * tool was given or answered comes with its key before it, numbers too; keys that could be text come as such; and what is
 * written over several neighbouring strings comes once more as one, as not read.
 *
 * Walks with a stack of its own, so that deep nesting is no danger.
 *
 * @param roots with the place that each has; what may be any number is given as one list
 * @param visit returns false to end the walk
 */
export function visitStrings(roots: readonly Item[], visit: (visited: Visited) => boolean): void {
  const stack = roots.toReversed();
  const give = (text: string, isRead: boolean, key: string) => text === '' || visit({ text, isRead, key });
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const { key, value, place } = item;
    const isFree = place === 'free';
    if (typeof value === 'string' || (isFree && typeof value === 'number')) {
      const text = String(value);
      const isFile = place === 'media' && isMedia(text);
      if (!isFile && !give(isFree ? label(key, text) : text, isFree || place === 'text' || !isLabel(text, place), key))
        return;
    } else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) stack.push({ key, value: value[i], place });
      const joined = joinLetters(value) ?? joinParts(value);
      if (joined !== null && !give(joined, false, key)) return;
    } else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value).reverse())
        stack.push(placeMember(value, member, inner, place));
      for (const member of Object.keys(value)) {
        if (!wordy.test(member) && !give(member, !plainKey.test(member), key)) return;
      }
    }
  }
}
