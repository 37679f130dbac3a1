import { isForm, parseFormFields } from '../json/form.ts';
import { SignedTexts } from './blocks.ts';
import { openOffsets, readText } from './find-places.ts';
import { type Literal, openHolder } from './holder.ts';
import { listLiterals } from './literals.ts';
import { isProtocolName } from './names.ts';
import { clip, type Place } from './places.ts';
import { TextNames } from './text-names.ts';
import { isFile } from './unsearched.ts';

/** A text that a check outside is asked about. */
export interface CheckedText {
  id: number;
  text: string;
}

/** What a check puts into a text, by UTF-16 units. */
export interface Replacement {
  id: number;
  start: number;
  end: number;
  kind: string;
  text: string;
}

/** A literal of some JSON, and what it says. */
export interface TextPart {
  json: string;
  literal: Literal;
  value: string;
  /** Its provider signed it: nothing is replaced in it. */
  isSigned: boolean;
}

/** A body of more strings is not taken apart for checks, which take 2,000 texts. */
const maxStrings = 20_000;

/** Whether it is short enough to be taken apart: pictures and files make bodies large, and hold no strings. */
export function isCheckable(bytes: Buffer): boolean {
  let quotes = 0;
  for (let at = bytes.indexOf('"'); at >= 0 && quotes <= 2 * maxStrings; at = bytes.indexOf('"', at + 1)) quotes += 1;
  return quotes <= 2 * maxStrings;
}

/** The texts of a request's body, or of the fields of a form, in which nothing can be replaced; null for more than a check takes. */
export function listRequestTexts(bytes: Buffer, contentType: string): TextPart[][] | null {
  if (!isForm(contentType)) return isCheckable(bytes) ? (listTexts(bytes.toString('utf8'), 'request') ?? []) : null;
  const fields = parseFormFields(bytes, contentType, bytes.length) ?? {};
  const holder = openHolder(null, '', false, false);
  return Object.entries(fields).flatMap(([key, values]) =>
    [values].flat().flatMap((value): TextPart[][] => {
      const literal = { start: 0, end: 0, kind: 'string', key, holder } as const;
      return isProtocolName(literal, value) ? [] : [[{ json: '', literal, value, isSigned: false }]];
    }),
  );
}

/** The texts of JSON, each with the parts that are read as one; null if it is none. */
export function listTexts(json: string, from: 'request' | 'answer'): TextPart[][] | null {
  const literals = listLiterals(json);
  if (literals === null) return null;
  const names = new TextNames();
  const signed = new SignedTexts(from);
  const texts: TextPart[][] = [];
  const joined = new Map<string, TextPart[]>();
  for (const literal of literals) {
    const value = literal.kind === 'number' ? null : readText(json, literal, from);
    if (value === null || value === undefined || isFile(literal, value)) continue;
    const name = names.ofPart(literal);
    const known = name === null ? undefined : joined.get(name);
    const part = { json, literal, value, isSigned: signed.has(literal) };
    if (known) {
      known.push(part);
      continue;
    }
    const parts = [part];
    texts.push(parts);
    if (name !== null) joined.set(name, parts);
  }
  return texts;
}

/** As a check gets them. */
export const numberTexts = (texts: readonly (readonly TextPart[])[]): CheckedText[] =>
  texts.map((parts, id) => ({ id, text: parts.map(({ value }) => value).join('') }));

/** Where a replacement stands in each of the parts of its text. */
export function spread<Part extends TextPart>(parts: readonly Part[], put: Replacement): [Part, Place][] {
  const decided = { instead: put.text };
  let from = 0;
  return parts.flatMap((part): [Part, Place][] => {
    const { json, literal, value, isSigned } = part;
    const [start, end] = [Math.max(0, put.start - from), Math.min(value.length, put.end - from)];
    const isRest = put.start < from;
    from += value.length;
    if (start >= end) return [];
    const toWritten = openOffsets(json.slice(literal.start + 1, literal.end - 1), literal.start + 1);
    const at = { start: toWritten(start), end: toWritten(end) };
    const place: Place = { ...at, kind: put.kind, value: '', depth: 1, isBare: false, isRest, decided, isPut: true };
    return [[part, isSigned ? { ...place, isSigned } : place]];
  });
}

/** Findings, and what checks put in, in order and apart. */
export function addReplacements(
  places: readonly Place[],
  texts: readonly TextPart[][],
  replacements: readonly Replacement[],
): Place[] {
  const more = replacements.flatMap((put) => spread(texts[put.id] ?? [], put).map(([, place]) => place));
  return clip([...more, ...places]);
}
