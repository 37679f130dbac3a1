import { tryParse } from './members.ts';
import { type BodyMember, maxShortMember, type ReadBody, unreadable } from './scan.ts';

/** RFC 2046 allows 70 characters. */
const boundaryParameter = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/i;

const maxParts = 1_000;
const maxHeader = 4 * 1024;

const lineEnd = Buffer.from('\r\n');
const headerEnd = Buffer.from('\r\n\r\n');
const name = /;\s*name=(?:"([^"\r\n]*)"|([^\s";]+))/i;
const fileName = /;\s*filename\*?=/i;

type FormFields = Record<string, string | string[]>;

export function isForm(contentType: string): boolean {
  return /^\s*multipart\/form-data\b/i.test(contentType);
}

/** Files are never copied, a name's `[]` is dropped; undefined if malformed or cut (RFC 7578). */
export function parseFormFields(bytes: Buffer, contentType: string, maxValue: number): FormFields | undefined {
  const found = boundaryParameter.exec(contentType);
  const delimiter = Buffer.from(`\r\n--${found?.[1] ?? found?.[2]}`);
  if (!found) return undefined;
  const fields = new Map<string, string[]>();
  const first = delimiter.subarray(lineEnd.length);
  let at = bytes.subarray(0, first.length).equals(first) ? first.length : findEnd(bytes, delimiter, 0);
  for (let part = 0; part < maxParts && at >= 0; part++) {
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return toFields(fields);
    const start = bytes.indexOf(lineEnd, at);
    const headers = start < 0 ? -1 : bytes.subarray(start, start + maxHeader).indexOf(headerEnd);
    if (headers < 0) return undefined;
    const value = start + headers + headerEnd.length;
    at = findEnd(bytes, delimiter, value);
    const end = at - delimiter.length;
    const header = bytes.toString('utf8', start, value);
    const field = name.exec(header);
    if (at < 0 || !field || fileName.test(header)) continue;
    const key = (field[1] ?? field[2] ?? '').replace(/\[\]$/, '');
    fields.set(key, [...(fields.get(key) ?? []), bytes.toString('utf8', value, Math.min(end, value + maxValue))]);
  }
  return undefined;
}

const plainType =
  /^\s*multipart\/form-data\s*(?:;\s*charset=utf-8)?;\s*boundary=(?:"[^"]{1,70}"|[^\s";,]{1,70})\s*;?\s*$/i;

/** A part's headers: its name, for a file a file name, and what changes no text; nothing twice, and no name in another form. */
const plainDisposition =
  /^content-disposition:[ \t]*form-data;[ \t]*name=(?:"([^"\\%\r\n]*)"|([\w.[\]-]+))(;[ \t]*filename=(?:"[^"\\\r\n]*"|[^\s";]+))?[ \t]*$/i;
const plainHeader =
  /^(?:content-length:[ \t]*\d+|content-transfer-encoding:[ \t]*(?:binary|8bit|7bit)|content-type:(?!.*charset[ \t]*=[ \t]*"?(?!utf-?8)).*)[ \t]*$/i;

/** Whether all servers read a part alike, as a field or as a file, which names no model. */
function isPlainPart(lines: readonly string[]): boolean {
  const found = lines.map((line) => plainDisposition.exec(line)).filter((each) => each !== null);
  const names = lines.map((line) => line.split(':', 1)[0]?.toLowerCase());
  const [, quoted, plain, file] = found[0] ?? [];
  const isModel = /^models?$/i.test((quoted ?? plain ?? '').replace(/[^a-z]/gi, ''));
  const areKnown = lines.every((line) => plainDisposition.test(line) || plainHeader.test(line));
  return found.length === 1 && areKnown && new Set(names).size === names.length && !(isModel && file !== undefined);
}

/** Whether all servers read the same fields of a form: plain parts from its first byte to its last, and nothing beside them. */
function isPlainForm(bytes: Buffer, contentType: string): boolean {
  const found = boundaryParameter.exec(contentType);
  const delimiter = `--${found?.[1] ?? found?.[2]}`;
  if (!plainType.test(contentType) || !bytes.subarray(0, delimiter.length).equals(Buffer.from(delimiter))) return false;
  const between = Buffer.from(`\r\n${delimiter}`);
  let at = delimiter.length;
  while (bytes.subarray(at, at + lineEnd.length).equals(lineEnd)) {
    const end = bytes.subarray(at, at + maxHeader).indexOf(headerEnd);
    if (end < 0 || !isPlainPart(bytes.toString('utf8', at + lineEnd.length, at + end).split('\r\n'))) return false;
    at = findEnd(bytes, between, at + end + headerEnd.length);
    if (at < 0) return false;
  }
  return /^--(?:\r\n)?$/.test(bytes.toString('latin1', at, at + 5));
}

function findEnd(bytes: Buffer, delimiter: Buffer, from: number): number {
  const at = bytes.indexOf(delimiter, from);
  return at < 0 ? -1 : at + delimiter.length;
}

function toFields(fields: ReadonlyMap<string, string[]>): FormFields {
  return Object.fromEntries(
    [...fields].map(([key, values]) => [key, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/** The text fields of a form as members. @param extent `outline` reads the first 4 KiB of each */
export function readForm(bytes: Buffer, contentType: string, extent: 'whole' | 'outline'): ReadBody {
  const isWhole = extent === 'whole';
  const fields = parseFormFields(bytes, contentType, isWhole ? bytes.length : maxShortMember);
  if (!fields) return unreadable;
  const members = Object.entries(fields).flatMap(([key, given]) =>
    [given].flat().map((text): BodyMember => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : text;
      return { key, value, members: () => [] };
    }),
  );
  const isSure = !isWhole || isPlainForm(bytes, contentType);
  const doubt = isSure ? null : { field: 'the form', reason: 'is one that servers read differently' };
  return { value: fields, members, object: null, isExact: true, doubt };
}

/**
 * A request body, JSON or the text fields of a form; undefined if unreadable. Slow for large ones: only if no request waits.
 */
export function parseRequestBody(bytes: Buffer, contentType: string): unknown {
  return isForm(contentType) ? parseFormFields(bytes, contentType, bytes.length) : tryParse(bytes);
}
