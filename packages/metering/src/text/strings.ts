import { listWords } from '../words/words.ts';
import type { Writing } from './writing.ts';

/** `text` of people and models, `free` JSON of a tool, a `label` that names something, or `media`. */
export type Place = 'text' | 'free' | 'label' | 'media';

const free = new Set(listWords('free'));
const media = new Set(listWords('media'));

/** Of a body's root only `metadata` is a tool's. */
export const isFreeMember = (name: string, isOfRoot: boolean): boolean =>
  isOfRoot ? name === 'metadata' : free.has(name);

export const isMediaMember = (name: string): boolean => media.has(name);

/** Everything else is text. A string in one of these is only treated as the name says if it also looks like it. */
const places = new Map<string, Place>([
  ...listWords('labels').map((name) => [name, 'label'] as const),
  ...[...media].map((name) => [name, 'media'] as const),
  ...[...free].map((name) => [name, 'free'] as const),
]);

/** A key of one word or several, which can only say what the value is about. */
const wordy = /^[A-Za-z][A-Za-z_ -]{0,40}$/;

/** A key as programs name things. A longer or stranger one is text, which a model reads with the value. */
const plain = /^[\w$.-]{1,64}$/;

interface KeyKind {
  isWordy: boolean;
  isPlain: boolean;
  place: Place | null;
}

const kinds = new Map<string, KeyKind>();
const maxKinds = 4_096;

function describeKey(key: string): KeyKind {
  const known = kinds.get(key);
  if (known) return known;
  const kind = { isWordy: wordy.test(key), isPlain: plain.test(key), place: places.get(key) ?? null };
  if (kinds.size < maxKinds && key.length <= 64) kinds.set(key, kind);
  return kind;
}

const textType = /^(?:text\/|application\/(?:json|xml|yaml)\b)/i;
const dataUri = /^data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w.=-]{1,120}){0,4};base64,/i;

function findPlace(holder: object, name: string, outer: Place): Place {
  if (outer === 'free') return outer;
  // A document of plain text has its text in the same member as an image its bytes.
  if (name === 'data' && 'type' in holder && holder.type === 'text') return 'text';
  return (kinds.get(name) ?? describeKey(name)).place ?? outer;
}

export function readFile(holder: object, file: string): string | null {
  const { mimeType, mime_type, media_type } = holder as Record<string, unknown>;
  const uri = file.startsWith('data:') ? dataUri.exec(file.slice(0, 1_024)) : null;
  const type = uri?.[1] ?? mimeType ?? mime_type ?? media_type;
  if (typeof type !== 'string' || !textType.test(type)) return null;
  return Buffer.from(file.slice(uri?.[0].length ?? 0), 'base64').toString('utf8');
}

/**
 * @param isRead by a model, or written by one; false for names, ids and addresses @param key of the nearest member @returns
 * false to end the walk
 */
type Visit = (text: string, isRead: boolean, key: string) => boolean;

const json = /^\s*[{["]/;

export function label(key: string, value: string): string {
  return describeKey(key).isWordy && !json.test(value)
    ? `${key.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2')}: ${value}`
    : value;
}

/** In a member for files, base64 of at least this length is a file. */
const leastMedia = 1_024;
const base64 = /^(?:data:[\w.+/-]{0,120}(?:;[\w.=-]{1,120}){0,4};base64,)?[\w+/-]*={0,2}$/;
const address = /^[a-z][a-z\d+.-]{0,20}:\S{0,4000}$/i;
const name = /^\S{0,80}$/;

export const isBase64 = (text: string): boolean => base64.test(text);
export const isMedia = (text: string): boolean => text.length >= leastMedia && isBase64(text);

function isLabel(text: string, place: Place): boolean {
  return name.test(text) || (place === 'media' && (base64.test(text) || address.test(text)));
}

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

/** Numbers count as text only in tool arguments and results. What a model reads together is visited joined, before its parts. */
function walk(value: unknown, key: string, place: Place, visit: Visit): boolean {
  if (typeof value === 'string') return visitText(value, key, place, visit);
  if (typeof value === 'number') return place !== 'free' || visitText(String(value), key, place, visit);
  if (typeof value !== 'object' || value === null) return true;
  if (!Array.isArray(value)) return walkMembers(value, key, place, visit);
  const joined = joinParts(value);
  if (joined !== null && !visit(joined, false, key)) return false;
  for (const item of value) if (!walk(item, key, place, visit)) return false;
  return true;
}

function walkMembers(holder: object, key: string, outer: Place, visit: Visit): boolean {
  const members = Object.keys(holder);
  for (const name of members) {
    const { isWordy, isPlain } = kinds.get(name) ?? describeKey(name);
    if (!isWordy && name !== '' && !visit(name, !isPlain, key)) return false;
  }
  for (const name of members) {
    const value = (holder as Record<string, unknown>)[name];
    // Most members are texts or numbers outside of any tool.
    const isPlainText = outer === 'text' && typeof value !== 'object' && kinds.get(name)?.place === null;
    if (!isPlainText) {
      if (!walkMember(holder, name, value, outer, visit)) return false;
    } else if (typeof value === 'string' && value !== '' && !visit(value, true, name)) return false;
  }
  return true;
}

function walkMember(holder: object, name: string, value: unknown, outer: Place, visit: Visit): boolean {
  const place = findPlace(holder, name, outer);
  if (typeof value === 'string') {
    if (place === 'text') return value === '' || visit(value, true, name);
    const file = place === 'media' ? readFile(holder, value) : null;
    if (file !== null) return file === '' || visit(file, true, name);
  }
  return walk(value, place === 'free' && outer !== 'free' ? '' : name, place, visit);
}

function visitText(text: string, key: string, place: Place, visit: Visit): boolean {
  if (text === '') return true;
  if (place === 'text') return visit(text, true, key);
  if (place === 'free') return visit(label(key, text), true, key);
  return (place === 'media' && isMedia(text)) || visit(text, !isLabel(text, place), key);
}

/**
 * Gives `visit` every string in order, except base64 in members for files. Values of tools have their key before them; keys
 * that could be text are visited; neighbours that form one text are visited again joined, with `isRead` false. JSON is no
 * deeper than `maxJsonDepth`.
 */
export function visitStrings(values: readonly unknown[], place: Place, visit: Visit): void {
  for (const value of values) if (!walk(value, '', place, visit)) return;
}

/** The same for a whole body: the members of its root are the API's own, even if they are named like a tool's. */
export function visitBody(body: unknown, visit: Visit): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    walk(body, '', 'text', visit);
    return;
  }
  for (const name of Object.keys(body)) {
    const value = (body as Record<string, unknown>)[name];
    const { isWordy, isPlain, place } = kinds.get(name) ?? describeKey(name);
    if (!isWordy && name !== '' && !visit(name, !isPlain, '')) return;
    if (place === null || (place === 'free' && name !== 'metadata')) {
      if (typeof value === 'object' && !walk(value, name, 'text', visit)) return;
      if (typeof value === 'string' && value !== '' && !visit(value, true, name)) return;
    } else if (!walkMember(body, name, value, 'text', visit)) return;
  }
}

/** Longer texts are cut here: far beyond every model's context, and still cheap to hold for a moment. */
export const maxText = 4 * 1024 * 1024;

/** Without ids and files, cut at {@link maxText}. Pass many roots as one list: arguments are bounded. */
export function collectText(...roots: unknown[]): Writing {
  return collect(roots, 'text', false);
}

export function collectToolText(value: unknown): Writing {
  return collect([value], 'free', true);
}

function collect(roots: readonly unknown[], place: Place, withUnread: boolean): Writing {
  const parts: string[] = [];
  let left = maxText;
  visitStrings(roots, place, (text, isRead) => {
    if (!isRead && !withUnread) return true;
    parts.push(text.slice(0, left));
    left -= text.length;
    return left >= 0;
  });
  return { parts, whole: left >= 0 };
}
