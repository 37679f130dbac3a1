/**
 * What stands at a place of a body: `text` that a model reads or wrote, `free` JSON that a tool was given or answered, a
 * `label` that names something, or `media`, a file or what it is found by.
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

/** What tools are given and what they answer: keys in there are the tool's own, and say nothing of what they hold. */
const free = ['args', 'arguments', 'input', 'metadata', 'response'];

/** Everything else is text. A name alone decides nothing but how a string is read that looks like what the name says. */
const places = new Map<string, Place>([
  ...labels.map((name) => [name, 'label'] as const),
  ...media.map((name) => [name, 'media'] as const),
  ...free.map((name) => [name, 'free'] as const),
]);

/** A key that is a word or several, and can hold nothing but what the value is about. */
const wordy = /^[A-Za-z][A-Za-z_ -]{0,40}$/;

/** A key as programs name things. A longer or stranger one is text: whoever reads the value reads it, too. */
const plain = /^[\w$.-]{1,64}$/;

/** What a key says of itself and of its value. */
export interface KeyKind {
  isWordy: boolean;
  isPlain: boolean;
  /** Where it says that its value stands; null where it says nothing. */
  place: Place | null;
}

/** Bodies have few different keys, and many of each. */
const kinds = new Map<string, KeyKind>();
const maxKinds = 4_096;

/** What is to be known of a key. */
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

/** Where a member of an object stands, by its name and by where the object does. */
export function findPlace(holder: object, name: string, outer: Place): Place {
  if (outer === 'free') return outer;
  // What a document of plain text holds stands in the same member as what an image does.
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
