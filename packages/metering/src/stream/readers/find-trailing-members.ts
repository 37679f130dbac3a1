import { parseJson } from '@agp/core/json';
import type { JsonObject } from '../../providers/json-shapes.ts';

const names = [
  'usage',
  'usageMetadata',
  'model',
  'modelVersion',
  'service_tier',
  'svg_usage',
  'tool_usage',
  'tools',
] as const;

/** Where a JSON string, object or array that starts here ends, exclusively; -1 where it is cut or something else. */
function findValueEnd(text: string, start: number): number {
  const first = text[start];
  if (first !== '{' && first !== '[' && first !== '"') return -1;
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      for (i += 1; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i += 1;
      if (i >= text.length) return -1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return i + 1;
  }
  return -1;
}

/** Whether what follows a value closes the root and nothing else, so that the value was a member of the root. */
function closesRootOnly(rest: string): boolean {
  let depth = 0;
  for (let i = 0; i < rest.length; i++) {
    const char = rest[i];
    if (char === '"') for (i += 1; i < rest.length && rest[i] !== '"'; i++) if (rest[i] === '\\') i += 1;
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
  }
  return depth === -1;
}

function findMember(text: string, name: string): unknown {
  const key = `"${name}"`;
  let at = text.lastIndexOf(key);
  for (let tries = 0; at > 0 && tries < 16; tries++) {
    const between = /^\s*:\s*/.exec(text.slice(at + key.length, at + key.length + 100));
    const start = at + key.length + (between?.[0].length ?? 0);
    const end = between && text[at - 1] !== '\\' ? findValueEnd(text, start) : -1;
    if (end > 0 && closesRootOnly(text.slice(end))) {
      try {
        return parseJson(text.slice(start, end));
      } catch {
        return undefined;
      }
    }
    at = text.lastIndexOf(key, at - 1);
  }
  return undefined;
}

/**
 * The figures and the model of a JSON answer that is too large to parse, from its last bytes: they stand behind
 * the data in the answers that get large. Empty where they are not members of the root, or are cut.
 */
export function findTrailingMembers(tail: string): JsonObject {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const value = findMember(tail, name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}
