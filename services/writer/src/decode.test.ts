import { makeEvent } from '@agp/testing/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode } from './decode.ts';

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test('an event that was published is read back', () => {
  const event = makeEvent({ model: 'modèle 😀 "x"', path: '/v1/\\' });
  expect(decode(encode(event))).toEqual({ event });
});

test('what only a later version knows is left out, and the event is recorded', () => {
  const event = makeEvent();
  const later = { constructor: 'later', failure: 'of a later version', pii_findings: 7, request_id: 'req_1' };
  expect(decode(encode({ ...event, ...later }))).toEqual({ event: { ...event, request_id: 'req_1' } });
});

test('a message without an event gives the reason, without the values', () => {
  expect(decode(Buffer.from([0x7b, 0xc3, 0x28]))).toMatchObject({ code: 'not_utf8' });
  expect(decode(Buffer.from('{"id":'))).toMatchObject({ code: 'not_json' });
  expect(decode(encode({ ...makeEvent(), model: 'secret\0', prompt_tokens: 'secret' }))).toEqual({
    code: 'not_an_event',
    reason: 'model: custom, prompt_tokens: invalid_type',
  });
});

test('no bytes make it throw', () => {
  const nested = Buffer.from('['.repeat(100_000));
  expect(decode(nested)).toMatchObject({ code: 'not_json' });
  expect(decode(Buffer.from(`${'['.repeat(9_000)}${']'.repeat(9_000)}`))).toMatchObject({ code: 'not_json' });
  expect(decode(Buffer.from(`${'['.repeat(500)}${']'.repeat(500)}`))).toMatchObject({ code: 'not_an_event' });
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => 'code' in decode(bytes)));
  fc.assert(fc.property(fc.json(), (text) => 'code' in decode(Buffer.from(text))));
});
