/** Headers hold a few names. One of many certificates in it is longer, and rare. */
const maxHeader = 8192;

const base64Url = /[\w-]*/y;

/** Offset behind the base64url that begins at an offset. */
function skipBase64Url(text: string, at: number): number {
  base64Url.lastIndex = at;
  base64Url.test(text);
  return base64Url.lastIndex;
}

/** Whether a base64url text is the JSON of a JOSE header, which always names an algorithm (RFC 7515 and 7516, 4.1.1). */
function isJoseHeader(encoded: string): boolean {
  try {
    const header: unknown = JSON.parse(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof header === 'object' && header !== null && 'alg' in header && typeof header.alg === 'string';
  } catch {
    return false;
  }
}

/** Where the text that was looked at ends, and whether it is a token. */
export interface JwtReading {
  found: boolean;
  end: number;
}

/**
 * Reads a JSON web token, signed (three parts) or encrypted (five), that begins at an offset. Go on at its `end` in any case: then no
 * character is read twice.
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
