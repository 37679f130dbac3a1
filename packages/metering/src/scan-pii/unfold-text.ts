import { JsonError, parseJson } from '@agp/core/json';
import { findShadowed } from '../json/find-shadowed.ts';
import { isTooPopulated } from '../json/is-too-populated.ts';
import { collectToolText } from '../providers/collect-text.ts';
import type { Writing } from '../providers/index.ts';

/** Tools that call tools write JSON into JSON, which doubles the backslashes at each level: nobody nests more of them. */
const maxLevels = 6;

/**
 * Takes JSON within strings apart: tools get and return it, at times several levels deep, and its escapes would hide the
 * text. A text that is no JSON comes back as it is. Never throws.
 *
 * @returns `whole` is false where JSON was not taken apart, because it is nested too deep, lies in too many strings or has too many values
 */
export function unfoldText(text: string): Writing {
  const parts: string[] = [];
  let whole = true;
  let waiting = [text];
  for (let level = 0; level < maxLevels && waiting.length > 0; level++) {
    const inner: string[] = [];
    for (const each of waiting) {
      const parsed = parse(each);
      if ('refusal' in parsed) {
        whole &&= parsed.refusal === 'not_json';
        parts.push(each);
        continue;
      }
      const found = collectToolText(parsed.value);
      whole &&= found.whole;
      const shadowed = findShadowed(each, parsed.value);
      // As it is written, too: a shadowed number is in no string, and some kinds are known by the key beside them.
      if (shadowed !== null) parts.push(each);
      // Most of the values are numbers and words, and no JSON.
      for (const string of [...found.parts, ...(shadowed ?? []), ...findLongNumbers(each)])
        (isJson(string) ? inner : parts).push(string);
    }
    waiting = inner;
  }
  // Deeper levels are searched as they are, and their escapes may hide text.
  return { parts: [...parts, ...waiting], whole: whole && waiting.every((text) => 'refusal' in parse(text)) };
}

/** Numbers of which a parsed value keeps too few digits, such as those of some cards. */
const findLongNumbers = (json: string) =>
  Array.from(json.matchAll(/[[:,]\s*(\d{17,})(?=\s*[\],}])/g), ([, digits]) => digits as string);

/** An object or a list, or a string that may hold one. */
const isJson = (text: string): boolean => /^\s*[{["]/.test(text);

function parse(text: string): { value: unknown } | { refusal: 'not_json' | 'too_large' } {
  if (!isJson(text)) return { refusal: 'not_json' };
  if (isTooPopulated(text)) return { refusal: 'too_large' };
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { refusal: error instanceof JsonError && error.code === 'too_deep' ? 'too_large' : 'not_json' };
  }
}
