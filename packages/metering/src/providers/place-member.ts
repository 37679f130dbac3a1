/**
 * The kind of value at a place of a body: `text` that a model reads or wrote, `free` JSON that a tool was given or returned, a
 * `label` that names something, or `media`, a file or its address.
 */
export type Place = 'text' | 'free' | 'label' | 'media';

const labels = [
  'cache_control',
  'call_id',
  'detail',
  'file_id',
  'id',
  'mimeType',
  'mime_type',
  'media_type',
  'role',
  'tool_call_id',
  'tool_use_id',
  'type',
];

const media = [
  'b64_json',
  'data',
  'encrypted_content',
  'fileData',
  'fileUri',
  'file_data',
  'image_url',
  'inlineData',
  'input_audio',
  'signature',
  'thoughtSignature',
  'url',
];

/** Input and output of tools: the keys in there are the tool's own, whatever the API means by the same names. */
const free = ['args', 'arguments', 'input', 'metadata', 'response'];

/** Everything else is text. A string in one of these is only treated as the name says if it also looks like it. */
const places = new Map<string, Place>([
  ...labels.map((name) => [name, 'label'] as const),
  ...media.map((name) => [name, 'media'] as const),
  ...free.map((name) => [name, 'free'] as const),
]);

/** A key of one word or several, which can only say what the value is about. */
const wordy = /^[A-Za-z][A-Za-z_ -]{0,40}$/;

/** A key as programs name things. A longer or stranger one is text, which a model reads with the value. */
const plain = /^[\w$.-]{1,64}$/;

export interface KeyKind {
  isWordy: boolean;
  isPlain: boolean;
  /** The place of its value; null if the key decides nothing. */
  place: Place | null;
}

/** Bodies have few different keys, each many times, so descriptions are cached. */
const kinds = new Map<string, KeyKind>();
const maxKinds = 4_096;

export function describeKey(key: string): KeyKind {
  const known = kinds.get(key);
  if (known) return known;
  const kind = { isWordy: wordy.test(key), isPlain: plain.test(key), place: places.get(key) ?? null };
  if (kinds.size < maxKinds && key.length <= 64) kinds.set(key, kind);
  return kind;
}

/** Types of files that are text, so that a model reads them as such. */
const textType = /^(?:text\/|application\/(?:json|xml|yaml)\b)/i;
const dataUri = /^data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w.=-]{1,120}){0,4};base64,/i;

/** The place of a member, by its name and by the place of its object. */
export function findPlace(holder: object, name: string, outer: Place): Place {
  if (outer === 'free') return outer;
  // A document of plain text has its text in the same member as an image its bytes.
  if (name === 'data' && 'type' in holder && holder.type === 'text') return 'text';
  return describeKey(name).place ?? outer;
}

/** A file that holds text as that text; null for any other. */
export function readFile(holder: object, file: string): string | null {
  const { mimeType, mime_type, media_type } = holder as Record<string, unknown>;
  const uri = file.startsWith('data:') ? dataUri.exec(file.slice(0, 1_024)) : null;
  const type = uri?.[1] ?? mimeType ?? mime_type ?? media_type;
  if (typeof type !== 'string' || !textType.test(type)) return null;
  return Buffer.from(file.slice(uri?.[0].length ?? 0), 'base64').toString('utf8');
}
