import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxEventsInMessage, packEvents, unpackEvents } from './parcel.ts';

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test('packed events are unpacked unchanged', () => {
  const event = fc.object().map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 4 * maxEventsInMessage }), (events) => {
      expect(unpackEvents(packEvents(events)).map(toText)).toEqual(events);
    }),
  );
});

test('data that is not an event is passed on, line by line', () => {
  expect(unpackEvents(Buffer.from('')).map(toText)).toEqual(['']);
  expect(unpackEvents(Buffer.from('{}\n\xff\n', 'latin1')).map((line) => line.length)).toEqual([2, 1, 0]);
});

test('a message of more lines than any proxy writes stays whole', () => {
  for (const lines of [4 * maxEventsInMessage + 1, 1_000_000]) {
    const bytes = Buffer.alloc(lines - 1, '\n');
    expect(unpackEvents(bytes)).toEqual([bytes]);
  }
  expect(unpackEvents(Buffer.alloc(4 * maxEventsInMessage - 1, '\n'))).toHaveLength(4 * maxEventsInMessage);
});
