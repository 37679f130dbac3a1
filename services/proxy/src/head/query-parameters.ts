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

/** One parameter of a query, decoded as far as it can be. */
interface QueryParameter {
  name: string;
  value: string;
}

/** One part of a query, between two `&`. */
interface QueryPart {
  /** As it was sent. */
  text: string;
  /** Every name that some server may read in it: decoded again, or with `;` between parameters. */
  names: readonly string[];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseParameter(text: string): QueryParameter {
  const equals = text.indexOf('=');
  if (equals < 0) return { name: decode(text), value: '' };
  return { name: decode(text.slice(0, equals)), value: decode(text.slice(equals + 1)) };
}

function parsePart(text: string): QueryPart {
  const texts = listDecodings(text).flatMap((decoded) => decoded.split(/[&;]/));
  return { text, names: texts.map((each) => each.split('=', 1)[0]?.replaceAll('+', ' ').trim() ?? '') };
}

/** The parameters whose name `isWanted`, in their order. */
export function findParameters(query: string, isWanted: (name: string) => boolean): QueryParameter[] {
  if (query.length < 2) return [];
  return query
    .slice(1)
    .split('&')
    .map(parseParameter)
    .filter(({ name }) => isWanted(name));
}

/** Cuts parameters out of a query; every byte of the others stays as it was sent. */
export function cutParameters(query: string, isCut: (part: QueryPart) => boolean): string {
  if (query.length < 2) return query;
  const parts = query.slice(1).split('&');
  const kept = parts.filter((part) => !isCut(parsePart(part)));
  if (kept.length === parts.length) return query;
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}
