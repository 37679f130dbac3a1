import { parseJson } from '@agp/core/json';
import { isForm, parseFormFields } from './parse-form-fields.ts';
import { scanMembers, skipSpace } from './stream/scan-members.ts';

/** Parsing a larger body would hold up everything else: JSON of many small values takes seconds, and twenty times its size. */
const maxOutlined = 1024 * 1024;
const maxShortMember = 4 * 1024;

function parseOrUndefined(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

function parseShortMembers(bytes: Buffer): unknown {
  const short = scanMembers(bytes, skipSpace(bytes, 0))?.members.filter(
    ({ start, end }) => end - start < maxShortMember,
  );
  return (
    short && Object.fromEntries(short.map(({ key, start, end }) => [key, parseOrUndefined(bytes.subarray(start, end))]))
  );
}

/**
 * A request body as an operation reads it, JSON or the text fields of a form; undefined where it is nothing that we can
 * parse.
 *
 * @param depth `all` of it, or where it is larger than 1 MiB the `outline` alone: the members of up to 4 KiB
 */
export function parseRequestBody(bytes: Buffer, contentType: string, depth: 'all' | 'outline'): unknown {
  if (isForm(contentType)) return parseFormFields(bytes, contentType, depth === 'all' ? bytes.length : maxShortMember);
  return depth === 'outline' && bytes.length > maxOutlined ? parseShortMembers(bytes) : parseOrUndefined(bytes);
}
