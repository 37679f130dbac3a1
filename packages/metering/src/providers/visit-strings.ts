import { describeKey, findPlace, type Place, readFile } from './place-member.ts';

/**
 * Takes a string of a JSON value.
 *
 * @param isRead whether a model reads or wrote it; false for names, ids and addresses of things
 * @param key the member it stands in, or the list in that member; empty at the root
 * @returns false to end the walk
 */
export type Visit = (text: string, isRead: boolean, key: string) => boolean;

/** JSON in a string, which is taken apart where it is searched. */
const json = /^\s*[{["]/;

/** A tool's value as people would write it, since what it is about stands in the key. */
function label(key: string, value: string): string {
  return describeKey(key).isWordy && !json.test(value)
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

/** What is still to be walked: key, value and place by turns, the next one last. */
type Stack = unknown[];

/** Numbers, words of logic and nothing at all are most of a protocol, and no text but where a tool wrote them. */
function push(stack: Stack, key: string, value: unknown, place: Place): void {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null) || place === 'free') {
    stack.push(key, value, place);
  }
}

function pushMember(stack: Stack, holder: object, name: string, value: unknown, outer: Place): void {
  const place = findPlace(holder, name, outer);
  const file = place === 'media' && typeof value === 'string' ? readFile(holder, value) : null;
  if (file !== null) stack.push(name, file, 'text');
  // What enters a tool is about that tool's own keys.
  else push(stack, place === 'free' && outer !== 'free' ? '' : name, value, place);
}

function walk(stack: Stack, visit: Visit): void {
  while (stack.length > 0) {
    const place = stack.pop() as Place;
    const value = stack.pop();
    const key = stack.pop() as string;
    if (typeof value === 'string' || typeof value === 'number') {
      if (!visitOne(String(value), key, place, visit)) return;
    } else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) push(stack, key, value[i], place);
      const joined = joinLetters(value) ?? joinParts(value);
      if (joined !== null && !visit(joined, false, key)) return;
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.keys(value);
      for (let i = members.length - 1; i >= 0; i--) {
        const name = members[i] as string;
        pushMember(stack, value, name, (value as Record<string, unknown>)[name], place);
      }
      for (const name of members) if (!visitKey(name, key, visit)) return;
    }
  }
}

function visitOne(text: string, key: string, place: Place, visit: Visit): boolean {
  if (text === '') return true;
  if (place === 'text') return visit(text, true, key);
  if (place === 'free') return visit(label(key, text), true, key);
  return (place === 'media' && isMedia(text)) || visit(text, !isLabel(text, place), key);
}

function visitKey(name: string, key: string, visit: Visit): boolean {
  const { isWordy, isPlain } = describeKey(name);
  return isWordy || name === '' || visit(name, !isPlain, key);
}

/**
 * Gives `visit` every string in some JSON values, in order, but for files in base64 in the members that are for them. What a
 * tool was given or answered comes with its key before it, numbers too; keys that could be text come as such; and what is
 * written over several neighbouring strings comes once more as one, as not read.
 *
 * Walks with a stack of its own, so that deep nesting is no danger.
 *
 * @param place where all of the values stand
 */
export function visitStrings(values: readonly unknown[], place: Place, visit: Visit): void {
  const stack: Stack = [];
  for (let i = values.length - 1; i >= 0; i--) push(stack, '', values[i], place);
  walk(stack, visit);
}

/** The same for a whole body: what it holds at its root are the API's own members, whatever a tool would mean by their names. */
export function visitBody(body: unknown, visit: Visit): void {
  const stack: Stack = [];
  if (typeof body !== 'object' || body === null || Array.isArray(body)) push(stack, '', body, 'text');
  else {
    for (const [name, value] of Object.entries(body)) {
      if (!visitKey(name, '', visit)) return;
      if (name !== 'metadata' && findPlace(body, name, 'text') === 'free') push(stack, name, value, 'text');
      else pushMember(stack, body, name, value, 'text');
    }
  }
  walk(stack, visit);
}
