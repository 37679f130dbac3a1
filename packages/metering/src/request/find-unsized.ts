import { listWords } from '../words/words.ts';

const plainTypes = new Set(listWords('plainTypes'));
const plainKeys = new Set(listWords('plain'));
export const opaqueKeys = new Set(listWords('opaque'));

function isPlainPart(part: object): boolean {
  const { type, encrypted_content: sealed } = part as Record<string, unknown>;
  if (type === undefined) return true;
  if (typeof type !== 'string' || !plainTypes.has(type)) return false;
  // The provider looks up its earlier thoughts, unless the request contains them whole.
  return type !== 'reasoning' || typeof sealed === 'string';
}

/** Whether parts are of unknown size: pictures, sound, files, references, and unknown members. */
export function findUnsized(content: unknown): boolean {
  // Deep nesting would overflow the call stack.
  const stack = [content];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) stack.push(item);
      continue;
    }
    if (!isPlainPart(value)) return true;
    for (const [key, member] of Object.entries(value)) {
      if (opaqueKeys.has(key)) continue;
      if (!plainKeys.has(key)) return true;
      stack.push(member);
    }
  }
  return false;
}
