import { expect, test } from 'vitest';
import { asksUnreadable } from './outgoing.ts';

test.each([
  ['gzip, deflate, br, zstd', false],
  ['gzip;q=1.0, identity; q=0.5, *;q=0', false],
  ['', false],
  ['GZIP', false],
  ['compress', true],
  ['gzip, dcz', true],
  ['*', true],
  ['br, *;q=0.1', true],
  ['__proto__', true],
])('%j allows an encoding that we cannot read: %s', (value, expected) => {
  expect(asksUnreadable(value)).toBe(expected);
});
