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

/**
 * The strings in parts of a request or answer, in order, one a line: what is written there, without ids
 * and base64. Walks with a stack of its own, so that deep nesting is no danger; cut at {@link maxText}.
 */
export function collectText(...parts: unknown[]): string {
  const found: string[] = [];
  let length = 0;
  const stack: unknown[] = parts.toReversed();
  while (stack.length > 0 && length < maxText) {
    const value = stack.pop();
    if (typeof value === 'string') {
      found.push(value);
      length += value.length;
    } else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) stack.push(value[i]);
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      for (const [key, member] of members.reverse()) if (!notText.has(key)) stack.push(member);
    }
  }
  return found.join('\n').slice(0, maxText);
}
