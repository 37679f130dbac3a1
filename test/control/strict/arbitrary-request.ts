import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { amountNames, type Member, memberOf, type Operation, operations } from './request-parts.ts';

/** A request as it goes over the wire. */
export interface StrictRequest {
  /** What it asks for, for whoever reads a list of failures. */
  operation: string;
  method: string;
  /** Behind the provider's id; it begins with that. */
  target: string;
  headers: Record<string, string>;
  body: Buffer;
}

const pick = <Value>(...values: Value[]) => fc.constantFrom(...values);

/** Numbers as JSON, most of them such as agents send. */
const amount = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 3_000 }).map(String) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 200_000 }).map(String) },
  {
    weight: 2,
    arbitrary: pick('0', '0.4', '"100000"', '1e30', '-1', 'null', 'true', '[]', '[5000]', '{}', '"7"', '1.5'),
  },
);

/** A key as it stands, and in other spellings that some server takes for the same. */
const spelled = (name: string) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(name) },
    {
      weight: 1,
      arbitrary: pick(
        name.toUpperCase(),
        name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
        name.replace('k', '\u212a'),
      ),
    },
  );

const amountMember = pick(...amountNames).chain((name) => fc.tuple(spelled(name), amount));

/** Members of an operation's requests: what it needs, what it may have, and what it should not. */
function membersOf(operation: Operation): fc.Arbitrary<Member[]> {
  const { needs, bounds, may } = operation;
  const bound =
    bounds.length === 0 ? fc.constant([]) : fc.tuple(pick(...bounds), amount).map((each) => [each as Member]);
  const own = fc.array(may.length === 0 ? amountMember : pick(...may), { maxLength: 2 });
  const foreign = fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(amountMember, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(memberOf, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(fc.tuple(...needs), bound, own, foreign).chain(([needed, ...others]) => {
    const members = [...needed, ...others.flat()];
    return fc.shuffledSubarray(members, { minLength: members.length, maxLength: members.length });
  });
}

/** Settings of Gemini's requests stand within an object of their own. */
function write(members: readonly Member[], { settings }: Operation): string {
  const isSetting = ([name]: Member) => settings !== undefined && /okens|andidate|hinking|odalit/.test(name);
  const inner = members.filter(isSetting);
  const outer = members.filter((member) => !isSetting(member));
  const list = (some: readonly Member[]) => some.map(([name, value]) => `"${name}":${value}`).join(',');
  const all =
    inner.length === 0 ? list(outer) : `${list(outer)}${outer.length > 0 ? ',' : ''}"${settings}":{${list(inner)}}`;
  return `{${all}}`;
}

type Sent = { body: Buffer; headers: Record<string, string>; query: string };

const json = { 'content-type': 'application/json' };

/** Ways to send a body; all but the first are such as some server reads, and not every one. */
const sendings: ((text: string) => Sent)[] = [
  (text) => ({ body: Buffer.from(text), headers: json, query: '' }),
  (text) => ({ body: gzipSync(text), headers: { ...json, 'content-encoding': 'gzip' }, query: '' }),
  (text) => ({ body: gzipSync(text), headers: json, query: '' }),
  (text) => ({ body: Buffer.from(`\ufeff${text}`), headers: json, query: '' }),
  (text) => ({ body: Buffer.from(text, 'utf16le'), headers: json, query: '' }),
  (text) => ({ body: Buffer.from(`${text}\0`), headers: json, query: '' }),
  (text) => ({ body: Buffer.from(`${text}{"max_tokens":100000}`), headers: json, query: '' }),
  (text) => ({ body: Buffer.from(text), headers: { 'content-type': 'text/plain' }, query: '' }),
  (text) => ({ body: Buffer.from(text), headers: json, query: '?max_tokens=100000' }),
  (text) => ({ body: Buffer.from(text), headers: json, query: '?n=50' }),
  (text) => ({ body: Buffer.from(text.replace('{', `{${'"x":1,'.repeat(10_500)}`)), headers: json, query: '' }),
];
const sending = fc.oneof(
  { weight: 14, arbitrary: fc.constant(sendings[0] as (text: string) => Sent) },
  pick(...sendings),
);

/**
 * A request for one of the operations that cost something, plain for the most part, now and then with members that contradict
 * each other or that nobody should send, or in a form that servers read in different ways.
 */
export const arbitraryRequest: fc.Arbitrary<StrictRequest> = fc
  .oneof(...operations.map((operation) => ({ weight: operation.weight, arbitrary: fc.constant(operation) })))
  .chain((operation) => fc.tuple(fc.constant(operation), membersOf(operation), sending, pick(...operation.paths)))
  .map(([operation, members, send, path]) => {
    const { body, headers, query } = send(write(members, operation));
    return { operation: operation.name, method: 'POST', target: path + query, headers, body };
  });
