import { tryParse } from '../json/try-parse.ts';
import { isForm, parseFormFields } from './parse-form-fields.ts';

/**
 * All of a request body as an operation reads it, JSON or the text fields of a form; undefined where it is nothing that we
 * can parse. It takes as long as the body is large, and is for where nobody waits.
 */
export function parseRequestBody(bytes: Buffer, contentType: string): unknown {
  return isForm(contentType) ? parseFormFields(bytes, contentType, bytes.length) : tryParse(bytes);
}
