import { describeKey, findPlace, type Place, readFile } from './place-member.ts';

/**
 * Takes a string of a JSON value.
 *
 * @param isRead whether a model reads or wrote it; false for names, ids and addresses of things
 * @param key the member that holds it, directly or in a list; empty at the root
 * @returns false to end the walk
 */
export type Visit = (text: string, isRead: boolean, key: string) => boolean;

/** JSON in a string, which the search parses itself. */
const json = /^\s*[{["]/;

/** A tool's value with its key before it, since the key gives the value its meaning. */
export function label(key: string, value: string): string {
  return describeKey(key).isWordy && !json.test(value)
    ? `${key.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2')}: ${value}`
    : value;
}

/** In a member for files, base64 of at least this length is a file. */
const leastMedia = 1_024;
const base64 = /^(?:data:[\w.+/-]{0,120}(?:;[\w.=-]{1,120}){0,4};base64,)?[\w+/-]*={0,2}$/;
/** The address of a file, and the name of something. */
const address = /^[a-z][a-z\d+.-]{0,20}:\S{0,4000}$/i;
const name = /^\S{0,80}$/;

const isMedia = (text: string): boolean => text.length >= leastMedia && base64.test(text);

function isLabel(text: string, place: Place): boolean {
  return name.test(text) || (place === 'media' && (base64.test(text) || address.test(text)));
}

/** A text can be hidden as a list of its letters, which a model still reads. */
function joinLetters(values: readonly unknown[]): string | null {
  const isLetter = (value: unknown) =>
    (typeof value === 'string' && value.length <= 2) || (typeof value === 'number' && value >= 0 && value <= 9);
  return values.length > 3 && values.every(isLetter) ? values.join('') : null;
}

/** This many characters of a part's beginning and end are joined with its neighbours. */
const seam = 256;

/** A model reads the parts of a message as one text, so they are joined where they meet. */
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

/** Values still to be walked, each as key, value and place; the next one is last. */
type Stack = unknown[];

/** Numbers, booleans and null count as text only in tool arguments and results. */
function push(stack: Stack, key: string, value: unknown, place: Place): void {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null) || place === 'free') {
    stack.push(key, value, place);
  }
}

function pushMember(stack: Stack, holder: object, name: string, value: unknown, outer: Place): void {
  const place = findPlace(holder, name, outer);
  const file = place === 'media' && typeof value === 'string' ? readFile(holder, value) : null;
  if (file !== null) stack.push(name, file, 'text');
  // Below this member the keys are the tool's own.
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
 * Gives `visit` every string in some JSON values, in order, except base64 in the members for files. Values in tool arguments and
 * results, numbers too, have their key before them; keys that could be text are visited as text; neighbouring strings that form one
 * text are visited again joined, with `isRead` false.
 *
 * Uses a stack of its own, so that deep nesting cannot overflow the call stack.
 *
 * @param place the place of all of the values
 */
export function visitStrings(values: readonly unknown[], place: Place, visit: Visit): void {
  const stack: Stack = [];
  for (let i = values.length - 1; i >= 0; i--) push(stack, '', values[i], place);
  walk(stack, visit);
}

/** The same for a whole body: the members of its root are the API's own, even if they are named like a tool's. */
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
