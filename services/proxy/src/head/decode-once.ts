/** How often servers on the way may decode a text: the edge's, a gateway's, the framework's. */
export const maxDecodings = 3;

const escapes = /(?:%[0-9a-f]{2})+|%u[0-9a-f]{4}/gi;

/**
 * Decodes every percent escape in a text, once, as a lenient server would: what is broken stays as it is, bytes that are no
 * UTF-8 become U+FFFD, and `%u0061` is one character as some servers of Microsoft's have it.
 */
export function decodeOnce(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(escapes, (escaped) =>
    escaped[1] === 'u' || escaped[1] === 'U'
      ? String.fromCharCode(Number.parseInt(escaped.slice(2), 16))
      : Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** A text as it was sent, and decoded once, twice ... as far as that changes anything. */
export function listDecodings(text: string): string[] {
  const decodings = [text];
  let last = text;
  for (let round = 0; round < maxDecodings; round += 1) {
    const decoded = decodeOnce(last);
    if (decoded === last) break;
    decodings.push(decoded);
    last = decoded;
  }
  return decodings;
}
