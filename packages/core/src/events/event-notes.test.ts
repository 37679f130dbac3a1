import { makeEvent } from '@agp/testing/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeEvent, eventMessageSchema } from './event-message.ts';
import { encodeNotes, maxPiiFindings, readNotes } from './event-notes.ts';

const finding = { in: 'request', message: 3, type: 'email' } as const;

test('what is encoded is read back, and is ASCII within the bound of a header', () => {
  const notes = { request_id: '~"\\'.repeat(42), failure: 'tls', pii_findings: [finding] } as const;
  expect(readNotes(JSON.parse(encodeNotes({ ...notes, pii_findings: [finding] }) ?? ''))).toEqual(notes);
  const most = encodeNotes({
    request_id: '"'.repeat(128),
    failure: 'connect_timeout',
    pii_findings: Array.from({ length: maxPiiFindings }, () => ({
      in: 'response' as const,
      message: Number.MAX_SAFE_INTEGER,
      type: 'x'.repeat(64),
    })),
  });
  expect(most).toMatch(/^[\x20-\x7e]*$/);
  expect(most?.length).toBeLessThan(16_384);
  expect([encodeNotes({}), encodeNotes({ request_id: null, failure: null })]).toEqual([null, null]);
});

test('of broken notes each good one is kept, and no value makes it throw', () => {
  expect(readNotes({ request_id: 'a b', failure: 'tls', pii_findings: 7, later: 1 })).toEqual({ failure: 'tls' });
  expect(readNotes({ request_id: 'a', failure: 'of a later version' })).toEqual({ request_id: 'a' });
  for (const request_id of ['', 'x'.repeat(129), 'a\r\nb', 'a\tb', 'é', 'a\0', 1])
    expect(readNotes({ request_id })).toEqual({});
  // One agent's body may hold so many empty messages before the one that matters.
  expect(readNotes({ pii_findings: [{ ...finding, message: 16_000_000 }, finding] }).pii_findings).toHaveLength(2);
  const pii_findings = Array.from({ length: maxPiiFindings + 1 }, () => finding);
  expect(readNotes({ pii_findings })).toEqual({});
  for (const wrong of [
    { ...finding, in: 'both' },
    { ...finding, text: 'secret' },
    { ...finding, message: -1 },
  ])
    expect(readNotes({ pii_findings: [wrong] })).toEqual({});
  fc.assert(fc.property(fc.anything(), (value) => typeof readNotes(value) === 'object'));
});

test('an event travels with its notes apart, and is the same without', () => {
  const event = makeEvent();
  const { event: text, notes } = encodeEvent({ ...event, request_id: 'req_1', failure: null });
  expect(JSON.parse(text)).toEqual(event);
  expect(notes).toBe('{"request_id":"req_1"}');
  expect(eventMessageSchema.parse({ ...event, ...readNotes(JSON.parse(notes ?? '')) })).toEqual({
    ...event,
    request_id: 'req_1',
  });
});
