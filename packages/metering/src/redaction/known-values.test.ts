import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createValueSearch, isDistinct, standsAlone } from './known-values.ts';

const kind = 'x';
const find = (text: string, ...values: string[]) =>
  createValueSearch(values.map((value) => ({ kind, value })))(text).map(({ start, end }) => text.slice(start, end));

test('a distinct value is found within longer words, mere letters and short ones where they stand alone', () => {
  expect(find('k4111 1111k, 4111 1111', '4111 1111')).toEqual(['4111 1111', '4111 1111']);
  expect(find('Auroras, Aurora. _Aurora', 'Aurora')).toEqual(['Aurora']);
  expect(find('K12 and BK123, K1', 'K12', 'K1')).toEqual(['K12', 'K1']);
});

test('the longest counts, and two that overlap are both found', () => {
  expect(find('a-1111-22', 'a-1111', 'a-1111-22')).toEqual(['a-1111-22']);
  expect(find('abcd-12345', 'abcd-1', 'd-12345')).toEqual(['abcd-1', 'd-12345']);
});

test('finds whatever a search for each value alone finds', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '1', '-', 'b', 'é', ' ', '🙂'), maxLength: 60 });
  const values = fc.uniqueArray(
    text.filter(({ length }) => length > 1 && length < 14),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(text, values, (within, known) => {
      const covered = new Uint8Array(within.length);
      for (const { start, end } of createValueSearch(known.map((value) => ({ kind, value })))(within)) {
        expect(known).toContain(within.slice(start, end));
        covered.fill(1, start, end);
      }
      const expected = new Uint8Array(within.length);
      for (const value of known)
        for (let at = within.indexOf(value); at >= 0; at = within.indexOf(value, at + 1))
          if (isDistinct(value) || standsAlone(within, at, at + value.length)) expected.fill(1, at, at + value.length);
      expect(covered).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
});

test('is linear in the text, whatever the values', () => {
  const values = Array.from({ length: 256 }, (_, at) => ({ kind, value: `${'a1'.repeat(200)}${at}b` }));
  const search = createValueSearch(values);
  const timed = (length: number) => {
    const text = 'a1'.repeat(length);
    const begun = performance.now();
    search(text);
    return performance.now() - begun;
  };
  timed(50_000);
  const [short, long] = [timed(50_000), timed(500_000)];
  expect(long).toBeLessThan(40 * short + 50);
});
