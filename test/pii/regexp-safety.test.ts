import { describe, expect, test } from 'vitest';
import { checkRegExp, digestRegExp, listRegExpFiles, readProven, readRegExps } from './read-regexps.ts';

test('the check tells good from bad', () => {
  const { literals, built } = readRegExps(
    String.raw`const a = /(a+)+$/; f(/[\w.]+@[\w.]+\.x/i, new RegExp('b')) as 1;`,
  );
  expect(literals.map(checkRegExp)).toEqual(['exponential', '2nd degree polynomial']);
  expect(built).toBe(1);
  expect(checkRegExp({ pattern: '[a-z]{1,8}@', flags: '' })).toBe('safe');
});

const files = listRegExpFiles();
const proven = readProven();

// Proving them all takes minutes: here only those that `npm run check:pii-linear` has not met yet are proven.
describe('no RegExp that a PII detector tries on a whole text can be made to take more than linear time', () => {
  test('there are some', () => {
    expect(files.flatMap(({ literals }) => literals).length).toBeGreaterThan(100);
  });

  test.each(files)('$name', ({ literals, built }) => {
    expect(built).toBe(0);
    const bad = literals
      .filter((literal) => !proven.has(digestRegExp(literal)))
      .map((literal) => `/${literal.pattern}/${literal.flags} ${checkRegExp(literal)}`)
      .filter((line) => !line.endsWith(' safe'));
    expect(bad).toEqual([]);
  });
});
