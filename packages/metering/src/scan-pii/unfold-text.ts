import { parseJson } from '@agp/core/json';
import { collectToolText } from '../providers/collect-text.ts';
import type { Writing } from '../providers/index.ts';
import { isTooPopulated } from '../text/is-too-populated.ts';

/** Tools that call tools write JSON into JSON: each level doubles its backslashes, so that no more of them are meant. */
const maxLevels = 6;

/**
 * Tools are given JSON, and answer in it, inside of strings, at times several deep: its escapes would hide what is written
 * there. Gives a text that is no JSON as it is. Never throws.
 */
export function unfoldText(text: string): Writing {
  const parts: string[] = [];
  let whole = true;
  let waiting = [text];
  for (let level = 0; level < maxLevels && waiting.length > 0; level++) {
    const inner: string[] = [];
    for (const each of waiting) {
      const values = parseOrNull(each);
      if (values === null) parts.push(each);
      else {
        const found = collectToolText(values);
        whole &&= found.whole;
        // Numbers and words are most of it, and no JSON.
        for (const string of found.parts) (isJson(string) ? inner : parts).push(string);
      }
    }
    waiting = inner;
  }
  // What is nested deeper still is searched as it stands.
  return { parts: [...parts, ...waiting], whole };
}

/** An object or a list, or a string that may hold one. */
const isJson = (text: string): boolean => /^\s*[{["]/.test(text);

function parseOrNull(text: string): unknown {
  if (!isJson(text) || isTooPopulated(text)) return null;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
