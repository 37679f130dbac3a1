import { endString } from '@agp/core/json';

const short: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

export function undoEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, char = '') =>
    hex === undefined ? (short[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** How many strings stand in JSON, names of members among them. */
function countStrings(json: string): number {
  let count = 0;
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    at = endString(json, at + 1);
    if (at < 0) break;
    count += 1;
  }
  return count;
}

/** The same of what a parser keeps. */
function countKept(root: unknown): number {
  let count = 0;
  const stack = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') count += 1;
    else if (typeof value === 'object' && value !== null) {
      if (!Array.isArray(value)) count += Object.keys(value).length;
      for (const member of Array.isArray(value) ? value : Object.values(value)) stack.push(member);
    }
  }
  return count;
}

/** Whether JSON gives a member twice: a provider may read the first. */
export const hasRepeatedMember = (json: string, value: unknown): boolean => countStrings(json) !== countKept(value);
