/** Decoded, in the order in which they were sent. */
export type QueryParameters = readonly { name: string; value: string }[];

interface QueryPart {
  /** As sent. */
  text: string;
  /** Before or after decoding, or between `;`: every name that some server may read. */
  names: readonly string[];
}

const escapes = /(?:%[0-9a-f]{2})+/gi;

/** As a lenient server would: what is broken stays as it is. */
export function decodeOnce(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(escapes, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8'));
}

function parseParameter(text: string): QueryParameters[number] {
  const equals = text.indexOf('=');
  if (equals < 0) return { name: decodeOnce(text), value: '' };
  return { name: decodeOnce(text.slice(0, equals)), value: decodeOnce(text.slice(equals + 1)) };
}

function parsePart(text: string): QueryPart {
  const texts = [text, decodeOnce(text)].flatMap((each) => each.split(/[&;]/));
  return { text, names: texts.map((each) => each.split('=', 1)[0]?.replaceAll('+', ' ').trim() ?? '') };
}

export function parseQuery(query: string): QueryParameters {
  return query.length < 2 ? [] : query.slice(1).split('&').map(parseParameter);
}

/** Every byte of the others stays as sent. */
export function cutParameters(query: string, isCut: (part: QueryPart) => boolean): string {
  if (query.length < 2) return query;
  const parts = query.slice(1).split('&');
  const kept = parts.filter((part) => !isCut(parsePart(part)));
  if (kept.length === parts.length) return query;
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}
