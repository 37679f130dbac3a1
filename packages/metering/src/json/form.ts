import { tryParse } from './members.ts';

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

function findEnd(bytes: Buffer, delimiter: Buffer, from: number): number {
  const at = bytes.indexOf(delimiter, from);
  return at < 0 ? -1 : at + delimiter.length;
}

function toFields(fields: ReadonlyMap<string, string[]>): FormFields {
  return Object.fromEntries(
    [...fields].map(([key, values]) => [key, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/**
 * A request body, JSON or the text fields of a form; undefined if unreadable. Slow for large ones: only if no request waits.
 */
export function parseRequestBody(bytes: Buffer, contentType: string): unknown {
  return isForm(contentType) ? parseFormFields(bytes, contentType, bytes.length) : tryParse(bytes);
}
