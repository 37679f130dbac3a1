import { ApiError } from '@agp/core/errors';
import { apply, insert } from '../../json/edit.ts';
import { scanMembers, skipSpace } from '../../json/scan.ts';
import type { CallMetadata, SentCall } from '../operation.ts';

/**
 * What AWS takes: entries, and characters of each
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, `requestMetadata`).
 */
const most = 16;
const form = /^[a-zA-Z0-9\s:_@$#=/+,.-]{1,256}$/;

type Own = Parameters<CallMetadata['write']>[1];

const member = 'requestMetadata';
const header = 'X-Amzn-Bedrock-Request-Metadata';

const toPlain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function refuse(where: string, fault: string): never {
  throw new ApiError('malformed_request', `${where} ${fault}, and this proxy writes into it who calls`);
}

/**
 * The caller's entries as they were written, behind ours, which win over its own of the same names, however these are spelt. Of ours those are
 * left out that AWS would not take.
 */
function merge(given: Buffer, own: Own, where: string): Buffer {
  const root = scanMembers(given, skipSpace(given, 0));
  if (root === null || skipSpace(given, root.end) < given.length) refuse(where, 'is no JSON object');
  const keys = root.members.map(({ key }) => key);
  if (new Set(keys).size < keys.length) refuse(where, 'has an entry twice');
  const names = new Set(own.map(([name]) => toPlain(name)));
  const kept = root.members.filter(({ key }) => !names.has(toPlain(key)));
  const ours = own.filter(([, value]) => form.test(value));
  if (ours.length + kept.length > most)
    refuse(where, `may have ${most - ours.length} entries, since AWS takes ${most} with those of this proxy`);
  const entries = [
    ...ours.map(([name, value]) => Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`)),
    ...kept.map(({ key, start, end }) =>
      Buffer.concat([Buffer.from(`${JSON.stringify(key)}:`), given.subarray(start, end)]),
    ),
  ].flatMap((entry, index) => (index === 0 ? [entry] : [Buffer.from(','), entry]));
  return Buffer.concat([Buffer.from('{'), ...entries, Buffer.from('}')]);
}

function writeInBody({ headers, body }: SentCall, own: Own): SentCall {
  const start = skipSpace(body, 0);
  const root = scanMembers(body, start);
  if (root === null || skipSpace(body, root.end) < body.length) refuse('the body', 'is no JSON object, or is encoded');
  const [given, ...others] = root.members.filter(({ key }) => toPlain(key) === toPlain(member));
  if (given !== undefined && (given.key !== member || others.length > 0))
    refuse(member, given.key === member ? 'is given twice' : 'is spelt in another way');
  const value = given && body.subarray(given.start, given.end);
  const text = merge(value === undefined || value.equals(nothing) ? noEntries : value, own, member);
  const added = () =>
    Buffer.concat([Buffer.from(`"${member}":`), text, Buffer.from(root.members.length > 0 ? ',' : '')]);
  return { headers, body: apply(body, [given ? { ...given, text } : insert(start + 1, added())]).body };
}

const nothing = Buffer.from('null');
const noEntries = Buffer.from('{}');

function writeInHeader({ headers, body }: SentCall, own: Own): SentCall {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === header.toLowerCase());
  const given = name === undefined ? '{}' : headers[name];
  if (typeof given !== 'string') refuse(header, 'is given twice');
  // Headers are bytes, each a character.
  const value = merge(Buffer.from(given, 'latin1'), own, header).toString('latin1');
  return { headers: { ...headers, [name ?? header]: value }, body };
}

/** In Converse's body. */
export const inBody: CallMetadata = { isInBody: true, write: writeInBody };

/** In Invoke's header, whose body is the vendor's own. */
export const inHeader: CallMetadata = { isInBody: false, write: writeInHeader };
