import { isForm, parseFormFields } from '../json/form.ts';
import { asObject, scanMembers, skipSpace, tryParse } from '../json/members.ts';

/** A member of a request's body; a repeated one is listed each time. */
export interface BodyMember {
  key: string;
  /** Undefined if it was too large or too broken to be parsed. */
  value: unknown;
  members(): BodyMember[];
}

export interface BodyMembers {
  value: unknown;
  /** The value of a body of valid JSON, if it was parsed. */
  parsed?: unknown;
  members: readonly BodyMember[];
  isExact: boolean;
}

/** Parsing a larger body would block all requests: JSON of many small values takes seconds, and twenty times its size in memory. */
const maxParsed = 1024 * 1024;
const maxShortMember = 4 * 1024;

/** Larger JSON may be parsed if it has no more values than this: most of it is long texts and pictures. */
const maxCommas = 100_000;

function isSparse(bytes: Buffer): boolean {
  let commas = 0;
  for (let at = bytes.indexOf(','); at >= 0 && commas <= maxCommas; at = bytes.indexOf(',', at + 1)) commas += 1;
  return commas <= maxCommas;
}

const unreadable: BodyMembers = { value: undefined, members: [], isExact: false };

function toMembers(value: unknown): BodyMember[] {
  return Object.entries(asObject(value)).map(([key, each]) => ({ key, value: each, members: () => toMembers(each) }));
}

/** The members of the object that starts at a byte, repeated ones too. @param parsed the same object, if it was parsed */
function scanObject(bytes: Buffer, start: number, parsed?: unknown): { members: BodyMember[]; end: number } | null {
  const found = scanMembers(bytes, start);
  if (!found) return null;
  const values = parsed === undefined ? null : asObject(parsed);
  const isWhole = values !== null && Object.keys(values).length === found.members.length;
  const members = found.members.map((member): BodyMember => {
    const { key, start: from, end } = member;
    const isParsed = isWhole || end - from < maxShortMember || parsed !== undefined;
    const value = isWhole ? values[key] : isParsed ? tryParse(bytes.subarray(from, end)) : undefined;
    return { key, value, members: () => scanObject(bytes, from, value)?.members ?? [] };
  });
  return { members, end: found.end };
}

/** Drops what a lenient server ignores: byte order marks, and the zeros of ASCII in UTF-16 and UTF-32. */
function stripLeniently(bytes: Buffer): Buffer {
  const marks = [0xef, 0xbb, 0xbf, 0xff, 0xfe, 0];
  const start = bytes.findIndex((byte) => !marks.includes(byte));
  return bytes.subarray(Math.max(0, start)).filter((byte) => byte !== 0) as Buffer;
}

function readForm(bytes: Buffer, contentType: string, maxField: number): BodyMembers {
  const fields = parseFormFields(bytes, contentType, maxField);
  if (!fields) return unreadable;
  const members = Object.entries(fields).flatMap(([key, given]) =>
    [given].flat().map((text): BodyMember => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : text;
      return { key, value, members: () => [] };
    }),
  );
  return { value: fields, members, isExact: true };
}

/** Reads as the most lenient server would. @param extent `outline` reads, of a body over 1 MiB, members under 4 KiB */
export function readMembers(bytes: Buffer, contentType: string, extent: 'whole' | 'outline'): BodyMembers {
  const isWhole = extent === 'whole';
  if (isForm(contentType)) return readForm(bytes, contentType, isWhole ? bytes.length : maxShortMember);
  const isParsed = bytes.length <= maxParsed || (isWhole && isSparse(bytes));
  const value = isParsed ? tryParse(bytes) : undefined;
  const root = scanObject(bytes, skipSpace(bytes, 0), value);
  // It has too many members to look at one by one, or is no object.
  if (!root && value !== undefined) return { value, members: toMembers(value), isExact: !isWhole };
  const found = root ?? scanLeniently(bytes);
  if (!found) return unreadable;
  const isClosed = root !== null && skipSpace(bytes, root.end) === bytes.length;
  const isExact = isClosed && (value !== undefined || (!isWhole && !isParsed));
  return {
    value: value ?? Object.fromEntries(found.members.map(({ key, value: each }) => [key, each])),
    parsed: value,
    members: found.members,
    isExact,
  };
}

function scanLeniently(bytes: Buffer): { members: BodyMember[] } | null {
  if (bytes.length > maxParsed) return null;
  const plain = stripLeniently(bytes);
  return scanObject(plain, skipSpace(plain, 0));
}
