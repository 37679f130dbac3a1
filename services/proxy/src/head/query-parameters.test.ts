import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutParameters } from './query-parameters.ts';

const cutKey = (query: string) => cutParameters(query, ({ names }) => names.includes('key'));

test.each([
  ['', ''],
  ['?', '?'],
  ['?key=x', ''],
  ['?alt=sse&key=x', '?alt=sse'],
  ['?key=x&alt=sse', '?alt=sse'],
  ['?a=%2e%2E&key=x&&b=+&z&q=a//b', '?a=%2e%2E&&b=+&z&q=a//b'],
  ['?%6bey=x&k=1', '?k=1'],
  ['?key', ''],
  ['?keys=1&pageToken=key', '?keys=1&pageToken=key'],
  ['?%zz=1&key=%zz', '?%zz=1'],
  ['?k=1&a=b;key=x', '?k=1'],
  ['?k=1&a=b%26key=x', '?k=1'],
])('%j without its key is %j', (query, expected) => {
  expect(cutKey(query)).toBe(expected);
});

test('whatever a query holds, nothing else of it is changed, and the key is gone', () => {
  const part = fc.string({ unit: fc.constantFrom('k', 'e', 'y', '=', '%', '6', 'b', '?', '/', '+') });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const query = `?${parts.join('&')}`;
      const kept = cutKey(query);
      expect(cutKey(kept)).toBe(kept);
      const names = new URLSearchParams(kept.replaceAll('+', '%2B')).keys();
      expect([...names]).not.toContain('key');
      if (!parts.some((text) => /key|%6b/.test(text))) expect(kept).toBe(query);
    }),
  );
});
