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

/** Types of files that are text, so that a model reads them as such. */
const textType = /^(?:text\/|application\/(?:json|xml|yaml)\b)/i;
const dataUri = /^data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w.=-]{1,120}){0,4};base64,/i;

/** A file that holds text as that text; null for any other. */
function decodeText(holder: object, file: string): string | null {
  const { mimeType, mime_type, media_type } = holder as Record<string, unknown>;
  const uri = dataUri.exec(file.slice(0, 1_024));
  const type = uri?.[1] ?? mimeType ?? mime_type ?? media_type;
  if (typeof type !== 'string' || !textType.test(type)) return null;
  return Buffer.from(file.slice(uri?.[0].length ?? 0), 'base64').toString('utf8');
}

/** Where a member of an object stands, by its name and by where the object does. */
export function placeMember(holder: object, name: string, value: unknown, outer: Place) {
  if (outer === 'free') return { key: name, value, place: outer };
  const place = places.get(name) ?? outer;
  // What a document of plain text holds stands in the same member as what an image does.
  if (name === 'data' && 'type' in holder && holder.type === 'text')
    return { key: name, value, place: 'text' as const };
  if (place === 'media' && typeof value === 'string') {
    const text = decodeText(holder, value);
    if (text !== null) return { key: name, value: text, place: 'text' as const };
  }
  return { key: place === 'free' ? '' : name, value, place };
}
