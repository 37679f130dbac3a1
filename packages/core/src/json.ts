type JsonErrorCode = 'too_deep' | 'not_json';

const messages: Record<JsonErrorCode, string> = { too_deep: 'nests too deep', not_json: 'is not JSON' };

/** A text that was not parsed. The message quotes none of it: it may hold secrets and be of any length. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly code: JsonErrorCode;
  /** `line 3 column 5`, if the parser says it; for files of operators. */
  readonly at: string | null;

  constructor(code: JsonErrorCode, at: string | null = null) {
    super(messages[code]);
    this.code = code;
    this.at = at;
  }
}

const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const nearby = 16;

/** Past the closing quote of a string whose content starts here; -1 if it has none. */
export function endString(text: string, start: number): number {
  const until = Math.min(start + nearby, text.length);
  let at = start;
  while (at < until) {
    const unit = text.charCodeAt(at++);
    if (unit === quote) return at;
    if (unit === backslash) at += 1;
  }
  for (let end = text.indexOf('"', at); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    // An even number of backslashes, none for the most part, leaves the quote as it is.
    if ((end - before) % 2 === 1) return end + 1;
  }
  return -1;
}

/**
 * Checks the brackets and strings of a JSON text in one pass, with a stack of its own. If it finds no fault, no parser can get deeper than
 * `maxDepth` objects and lists, whatever else is wrong.
 */
export function findOutlineFault(text: string, maxDepth: number): JsonErrorCode | null {
  const open = new Uint8Array(maxDepth);
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at++);
    if (unit === quote) {
      at = endString(text, at);
      if (at < 0) return 'not_json';
    } else if (unit < openBracket) {
    } else if (unit === openBrace || unit === openBracket) {
      if (depth === maxDepth) return 'too_deep';
      open[depth++] = unit;
    } else if (unit === closeBrace || unit === closeBracket) {
      // In ASCII a closing bracket comes two after its opening one.
      if (depth === 0 || open[--depth] !== unit - 2) return 'not_json';
    }
  }
  return depth === 0 ? null : 'not_json';
}

/** Counts those in strings too. Far cheaper than a pass over each character. */
export function hasMoreBrackets(text: string, bound: number): boolean {
  if (text.length <= bound) return false;
  let count = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > bound) return true;
    }
  return false;
}

/** Whether JSON, possibly cut off, nests deeper than a bound before it ends or becomes invalid. */
export function nestsDeeperThan(text: string, maxDepth: number): boolean {
  return hasMoreBrackets(text, maxDepth) && findOutlineFault(text, maxDepth) === 'too_deep';
}

/** Far deeper than any agent, provider or tool writes, and far from where a parser or a recursive walk ends the process. */
export const maxJsonDepth = 512;

interface JsonBounds {
  maxDepth?: number;
  /** Numbers come as JSON.rawJSON, to be written again with all of their digits. */
  keepsDigits?: boolean;
}

/** True of what looks like one in a string too, which only costs the slower parse. */
const mayHoldNumber = (text: string) => /(?:^|[:[,])\s*[-\d]/.test(text);

const keepDigits = (_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === 'number'
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source ?? `${value}`)
    : value;

/**
 * Parses JSON from outside as `JSON.parse` does, also if one of our services wrote it. V8's parser crashed the process on broken JSON that
 * nests about 10,000 deep, so the depth is bounded before. Throws JsonError `too_deep` or `not_json`, which quotes nothing; bytes are
 * UTF-8, with U+FFFD for invalid ones.
 */
export function parseJson(
  source: string | Uint8Array,
  { maxDepth = maxJsonDepth, keepsDigits = false }: JsonBounds = {},
): unknown {
  const text = typeof source === 'string' ? source : decode(source);
  const fault = hasMoreBrackets(text, maxDepth) ? findOutlineFault(text, maxDepth) : null;
  if (fault !== null) throw new JsonError(fault);
  try {
    return keepsDigits && mayHoldNumber(text)
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : JSON.parse(text);
  } catch (error) {
    // Only numbers are taken of the parser's message, which may quote the text.
    throw new JsonError('not_json', /\((line \d+ column \d+)\)$/.exec((error as Error).message)?.[1] ?? null);
  }
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}
