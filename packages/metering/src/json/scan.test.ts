import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanMembers } from './scan.ts';

/** Short and long ones, with escapes next to each other, far from each other and at their ends. */
const text = fc
  .array(fc.constantFrom('"', '\\', '\\"', '\n', 'ü', 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(300)), {
    maxLength: 9,
  })
  .map((parts) => parts.join(''));

test('strings end where they end, whatever is escaped in them, and nowhere where they are cut', () => {
  fc.assert(
    fc.property(text, text, fc.nat(), (key, value, at) => {
      const body = Buffer.from(JSON.stringify({ [key]: value, last: 1 }));
      const found = scanMembers(body, 0);
      const [first] = found?.members ?? [];
      expect(found?.end).toBe(body.length);
      expect(first?.key).toBe(key);
      expect(JSON.parse(body.toString('utf8', first?.start, first?.end))).toBe(value);
      expect(scanMembers(body.subarray(0, at % body.length), 0)).toBeNull();
    }),
  );
});

test('a number of more digits than any has is broken, and is passed over no further', () => {
  const body = (digits: number) => Buffer.from(`{"seed":${'9'.repeat(digits)}}`);
  expect(scanMembers(body(400), 0)?.members).toHaveLength(1);
  expect(scanMembers(body(600), 0)).toBeNull();
});
