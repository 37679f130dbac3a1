import type { Writing } from './operation.ts';

/** Longer texts are cut here: far past every model's context, and still cheap to hold for a moment. */
export const maxText = 4 * 1024 * 1024;

/** Members that hold names of things and binary data, which are not what a model reads as text. */
const notText = new Set([
  'cache_control',
  'call_id',
  'data',
  'detail',
  'encrypted_content',
  'fileData',
  'fileUri',
  'file_data',
  'file_id',
  'id',
  'image_url',
  'inlineData',
  'input_audio',
  'mimeType',
  'mime_type',
  'media_type',
  'role',
  'signature',
  'thoughtSignature',
  'tool_call_id',
  'tool_use_id',
  'type',
  'url',
]);

/** What tools are given and what they answer: keys in there are the tool's own, and say nothing of what they hold. */
const free = new Set(['args', 'arguments', 'input', 'response']);

/** A long run of base64: an image or a file, whatever the member is called. */
const binary = /^(?:data:[\w.+-]+\/[\w.+-]+;base64,)?[A-Za-z0-9+/=_-]{1024}/;

/** A key that is a word or several, and can hold nothing but what the value is about. */
const wordy = /^[A-Za-z][A-Za-z_ -]{0,40}$/;

/** A tool's value as people would write it, since what it is about stands in the key. */
function label(key: string, value: string): string {
  return wordy.test(key) ? `${key.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2')}: ${value}` : value;
}

/**
 * The strings in parts of a request or answer, in order: what is written there, without ids and base64. Walks with a
 * stack of its own, so that deep nesting is no danger; cut at {@link maxText}. What may be any number is given as one
 * list, since a call's arguments are bounded.
 */
export function collectText(...roots: unknown[]): Writing {
  return collect(roots, false);
}

/** The same for JSON that a tool was given or answered with: nothing is left out there but binary data, and numbers count. */
export function collectToolText(value: unknown): Writing {
  return collect([value], true);
}

function collect(roots: unknown[], allFree: boolean): Writing {
  const parts: string[] = [];
  let length = 0;
  const stack = roots.toReversed().map((value) => ({ key: '', value, isFree: allFree }));
  while (stack.length > 0 && length < maxText) {
    const { key, value, isFree } = stack.pop() as (typeof stack)[number];
    if (typeof value === 'string' || (isFree && typeof value === 'number')) {
      const text = String(value);
      if (text === '' || binary.test(text)) continue;
      parts.push((isFree ? label(key, text) : text).slice(0, maxText - length));
      length += text.length;
    } else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) stack.push({ key, value: value[i], isFree });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value).reverse()) {
        // What a document of plain text holds stands in the same member as what an image does.
        if (!isFree && notText.has(name) && !(name === 'data' && 'type' in value && value.type === 'text')) continue;
        const entersTool = !isFree && free.has(name);
        stack.push({ key: entersTool ? '' : name, value: member, isFree: isFree || entersTool });
      }
    }
  }
  return { parts, whole: stack.length === 0 && length <= maxText };
}
