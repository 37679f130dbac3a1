import { parseJson } from '@agp/core/json';
import { isAsciiLetter, isDigit } from '../text/characters.ts';

/** Longer headers hold certificates, and are rare. */
const maxHeader = 8192;

const hyphen = 45;
const underscore = 95;

/** The offset behind the base64url that begins at an offset. A RegExp would keep a backtracking step for each unit of a long one. */
function skipBase64Url(text: string, start: number): number {
  let at = start;
  for (let unit = text.charCodeAt(at); isBase64Url(unit); unit = text.charCodeAt(at)) at++;
  return at;
}

const isBase64Url = (unit: number): boolean =>
  isAsciiLetter(unit) || isDigit(unit) || unit === hyphen || unit === underscore;

/** Whether a base64url text is the JSON of a JOSE header, which always names an algorithm (RFC 7515 and 7516, 4.1.1). */
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

/** Whether a token was found, and where the text that was read ends. */
export interface JwtReading {
  found: boolean;
  end: number;
}

/**
 * Reads a JSON web token, signed (three parts) or encrypted (five), that begins at an offset. The caller continues at its `end` in any
 * case, so no character is read twice.
 */
export function readJwt(text: string, start: number): JwtReading {
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
