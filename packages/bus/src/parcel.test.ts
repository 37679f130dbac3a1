import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packEvents, unpackEvents } from './parcel.ts';

const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test('packed events are unpacked unchanged', () => {
  const event = fc.object().map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.array(event, { minLength: 1 }), (events) => {
      expect(unpackEvents(packEvents(events)).map(toText)).toEqual(events);
    }),
  );
});

test('data that is not an event is passed on, line by line', () => {
  expect(unpackEvents(Buffer.from('')).map(toText)).toEqual(['']);
  expect(unpackEvents(Buffer.from('{}\n\xff\n', 'latin1')).map((line) => line.length)).toEqual([2, 1, 0]);
});
