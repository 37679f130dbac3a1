import { listDecodings } from './decode-once.ts';

/** One parameter of a query, decoded as far as it can be. */
export interface QueryParameter {
  name: string;
  value: string;
}

/** One part of a query, between two `&`. */
export interface QueryPart {
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
