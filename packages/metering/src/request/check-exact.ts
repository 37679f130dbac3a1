import { isUtf8 } from 'node:buffer';
import type { CostFields } from '../cost-fields/index.ts';
import { findRepeatedKey } from '../json/faults.ts';
import { isForm } from '../json/form.ts';
import { isPlainForm } from './is-plain-form.ts';
import { notBounded } from './not-bounded.ts';
import type { BodyMembers } from './read-members.ts';

/** How a body was sent. */
export interface BodyForm {
  contentType: string;
  /** The header `Content-Encoding`, empty without one. */
  contentEncoding: string;
}

const json = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;

/**
 * Checks that every server reads a body the same way: it is not compressed, declared as JSON or a form, in UTF-8, valid, and
 * has no key twice.
 *
 * @throws ApiError `cost_not_bounded`
 */
export function checkExact(
  bytes: Buffer,
  { contentType, contentEncoding }: BodyForm,
  { isExact, members }: BodyMembers,
  { mayBeForm }: CostFields,
): void {
  if (!/^(?:identity)?$/i.test(contentEncoding.trim())) throw notBounded('content-encoding', 'must be left out');
  if (mayBeForm && isForm(contentType)) {
    if (!isExact || !isPlainForm(bytes, contentType))
      throw notBounded('the form', 'is not written as every server would read it');
    const names = members.map(({ key }) => key);
    const repeated = names.find((name, index) => names.indexOf(name) < index);
    if (repeated !== undefined) throw notBounded(repeated, 'is given twice');
    return;
  }
  if (!json.test(contentType)) throw notBounded('content-type', 'must be application/json in UTF-8');
  if (!isUtf8(bytes)) throw notBounded('the body', 'is not UTF-8');
  if (!isExact)
    throw notBounded('the body', 'is not JSON, has something before or behind it, or is too large to be read whole');
  const repeated = findRepeatedKey(bytes);
  if (repeated !== null) throw notBounded(repeated, 'is given twice');
}
