import { createHash } from 'node:crypto';
import { findDivergence, makeEvent } from '@agp/testing/events';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isStorableText } from '../events/event-fields.ts';
import { type EventMessage, eventMessageSchema, toEventText } from '../events/event-message.ts';
import { buildPayload, headAfter, type LinkedEvent, link } from './build-payload.ts';
import { emptyHead, hashLink } from './chain.ts';
import { hexSha256 } from './sha256.ts';
import { hexSha256 as hexSha256OfNode } from './sha256-of-node.ts';

const storable = (max: number) => fc.string({ unit: 'binary', maxLength: max }).map((value) => toEventText(value, max));
const named = (max: number) => storable(max).map((value) => value || '-');
const count = fc.oneof(fc.nat(), fc.maxSafeNat());
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const digest = fc.string().map((value) => createHash('sha256').update(value).digest('hex'));

const details = fc.record<Partial<EventMessage>>({
  direction: fc.constantFrom('request', 'response'),
  model: named(256),
  provider: named(64),
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cost_nano_usd: count,
  compliance_tag: fc.stringMatching(/^[a-z0-9][a-z0-9._:-]{0,63}$/),
  pii_detected: fc.boolean(),
  pii_types: fc.array(storable(64), { maxLength: 4 }),
  request_sha256: orNull(digest),
  response_sha256: orNull(digest),
  method: orNull(storable(32)),
  path: orNull(storable(64)),
  requested_model: orNull(storable(64)),
  provider_request_id: orNull(storable(64)),
  source_ip: orNull(storable(64)),
  duration_ms: orNull(count),
  first_byte_ms: orNull(count),
  http_status: orNull(fc.integer({ min: 100, max: 999 })),
  outcome: orNull(fc.constantFrom('completed', 'failed', 'aborted', 'killed')),
  usage_source: orNull(fc.constantFrom('provider', 'estimated', 'none')),
  price_version: orNull(storable(64)),
  pii_scan: orNull(fc.constantFrom('full', 'partial', 'none')),
  producer: orNull(storable(64)),
  producer_seq: orNull(count),
  counts_as_request: fc.boolean(),
});
const tool = fc.record({
  names: fc.array(fc.string({ minLength: 1, maxLength: 20 }).filter(isStorableText), { minLength: 1, maxLength: 4 }),
  kind: fc.constantFrom('client' as const, 'hosted' as const),
});
const tools = fc.array(tool, { maxLength: 3 });
const decided = fc.record({
  policy_version: fc.option(fc.integer({ min: 1 }), { nil: null }),
  decision: fc.option(
    fc.array(fc.constant({ version: 3, rule: 'models', policy: 'interns', action: 'warn' as const }), { maxLength: 3 }),
    { nil: null },
  ),
  tools: fc.option(fc.record({ more: fc.nat(), declared: fc.option(tools, { nil: null }), called: tools }), {
    nil: null,
  }),
});
const version1 = fc.constant({
  policy_version: undefined,
  decision: undefined,
  tools: undefined,
  forwarded_sha256: undefined,
});
const anyEvent = fc
  .tuple(details, fc.oneof(decided, version1))
  .map(([over, version]) => makeEvent({ session_id: 'ses_property', ...over, ...version }));

function chain(events: readonly EventMessage[]): LinkedEvent[] {
  let head = emptyHead;
  return events.map((event) => {
    const linked = link(head, event);
    head = headAfter(linked);
    return linked;
  });
}

function toEntries(linked: readonly LinkedEvent[]) {
  return linked.map(({ event, seq, lineageHash, payload }) => ({
    seq,
    event_id: event.id,
    lineage_hash: lineageHash,
    payload,
  }));
}

test('generated events are events', () => {
  fc.assert(fc.property(anyEvent, (event) => eventMessageSchema.safeParse(event).success));
});

test('a payload is the RFC 8785 form that the canonicalize library gives', () => {
  fc.assert(
    fc.property(anyEvent, fc.nat(), (event, seq) => {
      const { cost_nano_usd, counts_as_request: _, ...members } = event;
      expect(buildPayload(event, seq)).toBe(
        canonicalize({ ...members, seq, v: event.policy_version === undefined ? 1 : 2, cost_usd: cost_nano_usd / 1e9 }),
      );
    }),
    { numRuns: 200 },
  );
});

test('a payload has no raw line feed, whatever the event holds', () => {
  fc.assert(fc.property(anyEvent, (event) => !/[\n\r\0]/.test(buildPayload(event, 0))));
});

test('chains verify with a second implementation', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 12 }), (events) => {
      expect(findDivergence('ses_property', toEntries(chain(events)))).toBeNull();
    }),
    { numRuns: 100 },
  );
});

test('one changed byte is found at its place', () => {
  const changed = fc.tuple(
    fc.array(anyEvent, { minLength: 1, maxLength: 8 }),
    fc.nat(),
    fc.nat(),
    fc.integer({ min: 1, max: 255 }),
  );
  fc.assert(
    fc.property(changed, ([events, which, where, flip]) => {
      const entries = toEntries(chain(events));
      const at = which % entries.length;
      const entry = entries[at] as (typeof entries)[number];
      const bytes = Buffer.from(entry.payload);
      const offset = where % bytes.length;
      bytes[offset] = (bytes[offset] as number) ^ flip;
      const payload = bytes.toString();
      entries[at] = { ...entry, payload };
      expect(findDivergence('ses_property', entries)).toBe(at);
    }),
    { numRuns: 200 },
  );
});

test('removed, repeated, swapped and foreign entries are found', () => {
  const entries = toEntries(chain(Array.from({ length: 5 }, () => makeEvent({ session_id: 'ses_property' }))));
  const [a, b, c, d, e] = entries as [never, never, never, never, never];
  expect(findDivergence('ses_property', [a, b, d, e])).toBe(2);
  expect(findDivergence('ses_property', [b, c, d, e])).toBe(0);
  expect(findDivergence('ses_property', [a, b, b, c, d, e])).toBe(2);
  expect(findDivergence('ses_property', [a, c, b, d, e])).toBe(1);
  expect(findDivergence('ses_other', entries)).toBe(0);
});

test('the hash covers the text of the previous hash and the UTF-8 of the payload', () => {
  expect(hashLink('genesis', '{"é":"😀"}')).toBe(
    `sha256:${createHash('sha256').update(Buffer.from('genesis{"é":"😀"}', 'utf8')).digest('hex')}`,
  );
});

test('browsers compute the hashes that Node computes, of any texts and bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array())), (parts) => {
      expect(hexSha256(...parts)).toBe(hexSha256OfNode(...parts));
    }),
  );
});
