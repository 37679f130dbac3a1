import { tryParse } from '../json/try-parse.ts';
import { isForm, parseFormFields } from './parse-form-fields.ts';

/**
 * A whole request body as an operation reads it, JSON or the text fields of a form; undefined if it cannot be parsed. A large
 * body takes long, so use it only where no request waits.
 */
export function parseRequestBody(bytes: Buffer, contentType: string): unknown {
  return isForm(contentType) ? parseFormFields(bytes, contentType, bytes.length) : tryParse(bytes);
}
