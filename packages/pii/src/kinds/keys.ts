import { parseJson } from '@agp/core/json';
import type { Detector, Report } from '../detector.ts';
import { hasWordNear, isAsciiLetter, isDigit, matchAt } from '../text/characters.ts';
import { type KeyFormat, keyFormats } from './key-formats.ts';
import { looksRandom } from './looks-random.ts';

const minLength = 20;

const wordUnits = Uint8Array.from({ length: 128 }, (_, unit) =>
  Number(isAsciiLetter(unit) || isDigit(unit) || '_-+/=.'.includes(String.fromCharCode(unit))),
);

/**
 * At least 20 units of base64, base64url and dots, from left to right. Prose has few, so only each twentieth unit is looked at.
 */
function findLongWords(text: string, visit: (start: number, end: number) => void): void {
  let behind = 0;
  for (let probe = minLength - 1; probe < text.length; probe += minLength) {
    if (!wordUnits[text.charCodeAt(probe)]) continue;
    let start = probe;
    while (start > behind && wordUnits[text.charCodeAt(start - 1)]) start--;
    let end = probe + 1;
    while (wordUnits[text.charCodeAt(end)]) end++;
    if (end - start >= minLength) visit(start, end);
    behind = end;
    probe = end;
  }
}

const maxHeader = 8192;

const hyphen = 45;
const underscore = 95;

/** A RegExp would keep a backtracking step for each unit of a long one. */
function skipBase64Url(text: string, start: number): number {
  let at = start;
  for (let unit = text.charCodeAt(at); isBase64Url(unit); unit = text.charCodeAt(at)) at++;
  return at;
}

const isBase64Url = (unit: number): boolean =>
  isAsciiLetter(unit) || isDigit(unit) || unit === hyphen || unit === underscore;

/** It always names an algorithm (RFC 7515 and 7516, 4.1.1). */
function isJoseHeader(encoded: string): boolean {
  // Decoding and parsing throw for other texts, which is slow, so cheap checks come first.
  if (encoded.length < 15 || encoded.length % 4 === 1) return false;
  const decoded = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  if (!decoded.includes('"alg"')) return false;
  try {
    const header: unknown = parseJson(decoded);
    return typeof header === 'object' && header !== null && 'alg' in header && typeof header.alg === 'string';
  } catch {
    return false;
  }
}

interface JwtReading {
  found: boolean;
  end: number;
}

/**
 * Signed (three parts) or encrypted (five). The caller continues at its `end` in any case, so no character is read twice.
 */
function readJwt(text: string, start: number): JwtReading {
  const headerEnd = skipBase64Url(text, start);
  const none = { found: false, end: headerEnd };
  if (text[headerEnd] !== '.' || headerEnd - start > maxHeader) return none;
  const payloadEnd = skipBase64Url(text, headerEnd + 1);
  if (text[payloadEnd] !== '.' || !isJoseHeader(text.slice(start, headerEnd))) return none;
  let end = skipBase64Url(text, payloadEnd + 1);
  for (let part = 4; part <= 5 && text[end] === '.' && skipBase64Url(text, end + 1) > end + 1; part++) {
    end = skipBase64Url(text, end + 1);
  }
  return { found: true, end };
}

const formatsByFirst: readonly (readonly KeyFormat[])[] = Array.from({ length: 128 }, (_, unit) =>
  keyFormats.filter(({ prefix }) => prefix.charCodeAt(0) === unit),
);

const alphanumerics = wordUnits.map((isPart, unit) => isPart && Number(isDigit(unit) || isAsciiLetter(unit)));

/** 0 if none begins there; a placeholder in the form of a key is passed over. */
function readKey(text: string, start: number, report: Report): number {
  for (const { type, prefix, rest, accepts } of formatsByFirst[text.charCodeAt(start)] ?? []) {
    if (!text.startsWith(prefix, start)) continue;
    if (!matchAt(rest, text, start + prefix.length)) continue;
    const end = rest.lastIndex;
    if (accepts(text, start, end)) report(type, start, end);
    return end;
  }
  return 0;
}

const awsSecret = /[A-Za-z0-9/+]{40}(?![\w/+=-])/y;
const awsContext = /\baws|aws_|secret.?access.?key|\bA[KS]IA[A-Z2-7]{16}/i;

/** It has no prefix: forty characters of base64 behind a word for it. */
function readAwsSecret(text: string, start: number, report: Report): number {
  if (!matchAt(awsSecret, text, start)) return 0;
  const end = start + 40;
  if (hasWordNear(text, start, end, awsContext, 100, 0) && looksRandom(text.slice(start, end))) {
    report('aws_key', start, end);
  }
  return end;
}

/** Where a word begins. In JSON within a text, the letter of `\n` or `\t` is not part of it. */
function wordStart(text: string, start: number): number {
  return text[start - 1] === '\\' && 'nrt'.includes(text.charAt(start)) ? start + 1 : start;
}

export const keyDetector: Detector = {
  types: ['api_key', 'aws_key', 'github_token', 'jwt', 'private_key'],
  find({ value: text }, report) {
    findLongWords(text, (start, end) => {
      const first = wordStart(text, start);
      for (let at = first; at < end; ) {
        const isBehindSign = at > first && text[at - 1] === '=';
        let next = readKey(text, at, report);
        if (next === 0 && (at === first || isBehindSign)) next = readAwsSecret(text, at, report);
        if (next === 0 && text.startsWith('eyJ', at)) {
          const jwt = readJwt(text, at);
          if (jwt.found) report('jwt', at, jwt.end);
          next = jwt.end;
        }
        at = Math.max(next, at + 1);
        while (at < end && alphanumerics[text.charCodeAt(at - 1)]) at++;
      }
    });
  },
};

const begin = '-----BEGIN ';
const header = /(?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END (?:[A-Z]{2,9} )?PRIVATE KEY(?: BLOCK)?-----/;

const keyLine = /[A-Za-z0-9+/]{40,100}/;
const keyLines = /(?:[A-Za-z0-9+/]{40,100}(?:\s|\\[nr]){0,6}){1,600}[A-Za-z0-9+/=]{0,100}/;

/** The key itself begins within so many units of the header, behind the headers of encrypted and PGP keys. */
const maxPreamble = 300;

/** Far past the largest RSA key. */
const maxLength = 32 * 1024;

/**
 * Line breaks may be written as `
 * `, and the end cut off.
 */
export const privateKeyDetector: Detector = {
  types: ['private_key'],
  needs: /-----BEGIN /,
  find({ value: text }, report) {
    let start = text.indexOf(begin);
    while (start >= 0) {
      const next = text.indexOf(begin, start + begin.length);
      if (matchAt(header, text, start + begin.length)) {
        const body = header.lastIndex;
        const block = text.slice(body, Math.min(next < 0 ? text.length : next, start + maxLength));
        const end = footer.exec(block) ?? keyLines.exec(block);
        if (end && keyLine.test(block.slice(0, maxPreamble)))
          report('private_key', start, body + end.index + end[0].length);
      }
      start = next;
    }
  },
};

const longestHeader = 32;

/** Where a key begins that the end of a text cuts off; the text's length if none does. */
export function findOpenPrivateKey(text: string): number {
  let cut = Math.max(0, text.length - begin.length + 1);
  while (!begin.startsWith(text.slice(cut))) cut++;
  const start = text.lastIndexOf(begin);
  if (start < 0) return cut;
  if (!matchAt(header, text, start + begin.length))
    return text.length - start - begin.length < longestHeader ? start : cut;
  const body = text.slice(header.lastIndex);
  const isNone = body.length >= maxPreamble && !keyLine.test(body.slice(0, maxPreamble));
  return isNone || footer.test(body) ? cut : start;
}
