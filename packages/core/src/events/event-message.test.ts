import { makeEvent } from '@agp/testing/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPublicId } from '../ids.ts';
import { isStorableText } from './event-fields.ts';
import { eventMessageSchema, toEventText } from './event-message.ts';

function faults(over: object): string[] {
  const parsed = eventMessageSchema.safeParse({ ...makeEvent(), ...over });
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
}

test('a proxied event passes', () => {
  expect(faults({})).toEqual([]);
});

test.each([
  ['no public id', 'id', 'evt_1'],
  ['the id of something else', 'id', makeEvent().agent_id],
  ['an invalid agent id', 'agent_id', 'agt_'],
  ['a session id with a space', 'session_id', 'ses_a b'],
  ['a fraction of a token', 'prompt_tokens', 1.5],
  ['a negative cost', 'cost_nano_usd', -1],
  ['a cost that is no safe integer', 'cost_nano_usd', 2 ** 53],
  ['NUL in a model', 'model', 'gpt\0'],
  ['half a surrogate pair in a model', 'model', 'gpt\ud800'],
  ['an empty model', 'model', ''],
  ['a digest in upper case', 'request_sha256', 'A'.repeat(64)],
  ['a tag with upper case', 'compliance_tag', 'PCI'],
  ['an unknown outcome', 'outcome', 'lost'],
  ['too many kinds of PII', 'pii_types', Array.from({ length: 65 }, () => 'EMAIL')],
])('refuses %s', (_, member, value) => {
  expect(faults({ [member]: value })).toContain(member);
});

test('leaves out a member that it does not know, and refuses one that is missing', () => {
  expect(faults({ surprise: 1 })).toEqual([]);
  expect(faults({ producer: undefined })).toEqual(['producer']);
});

test('refuses an id whose time is not the timestamp', () => {
  const event = makeEvent();
  const later = new Date(Date.parse(event.timestamp) + 1).toISOString();
  expect(faults({ ...event, timestamp: later })).toEqual(['timestamp']);
  expect(faults({ id: toPublicId('evt', '0199a8c7-5d3e-7000-8000-000000000000') })).toEqual(['timestamp']);
});

test('any text fits an event once it is made to', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (value, max) => {
      const fitted = toEventText(`${value}\0\ud83d`, max);
      expect(fitted.length).toBeLessThanOrEqual(max);
      expect(isStorableText(fitted)).toBe(true);
    }),
  );
});
