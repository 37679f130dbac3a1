import { closeBrace, closeBracket, comma, openBrace, openBracket, quote, skipString } from './scan-members.ts';

/**
 * A key that an object has twice, at any depth: some servers take the first of them, others the last. Escapes are undone,
 * so that a key written in two ways counts as one. Null if no key repeats.
 *
 * @param json what a parser has taken
 */
export function findRepeatedKey(json: Buffer): string | null {
  /** For each object that is open its keys, for each array null. */
  const open: (Set<string> | null)[] = [];
  let isKey = false;
  for (let i = 0; i < json.length; ) {
    const byte = json[i];
    if (byte === quote) {
      const end = skipString(json, i);
      const keys = open.at(-1);
      if (isKey && keys) {
        const text = json.toString('utf8', i + 1, end - 1);
        const key = text.includes('\\') ? undoEscapes(text) : text;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      isKey = false;
      i = end;
      continue;
    }
    if (byte === openBrace) open.push(new Set());
    else if (byte === openBracket) open.push(null);
    else if (byte === closeBrace || byte === closeBracket) open.pop();
    if (byte === openBrace || byte === comma) isKey = open.at(-1) != null;
    i += 1;
  }
  return null;
}

const short: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The text of a JSON string, given without its quotes. */
export function undoEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, char = '') =>
    hex === undefined ? (short[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
