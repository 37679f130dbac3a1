import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDigitRuns } from './digit-run.ts';

const shapes = (text: string) => findDigitRuns(text).map((run) => run.shape);

test('groups with one separator between them are one run, and more ends it', () => {
  expect(shapes('card 4111 1111 1111 1111, ssn 123-45-6789')).toEqual(['4 4 4 4', '3-2-4']);
  expect(shapes('1234  5678')).toEqual(['4', '4']);
  expect(shapes('1.2.3 12 1234.')).toEqual(['1.1.1 2 4']);
  expect(shapes('12\u00a034\u202f56 78\u201390')).toEqual(['2 2 2 2-2']);
});

test('a run knows its place, its digits, and what touches it', () => {
  const [run] = findDigitRuns('no12-34 5');
  expect(run).toMatchObject({ start: 2, end: 9, digits: '12345', touchesBefore: true, touchesAfter: false });
  expect(findDigitRuns('号1234号')[0]).toMatchObject({ touchesBefore: false, touchesAfter: false });
  expect(findDigitRuns('1234é')[0]).toMatchObject({ touchesBefore: false, touchesAfter: true });
});

test('runs hold all digits of texts where no number is short', () => {
  const word = fc.oneof(fc.stringMatching(/^[0-9]{4,9}$/), fc.constantFrom(' ', '-', 'a', '  ', '\ud800', '.', 'é'));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const text = words.join('');
      const runs = findDigitRuns(text);
      expect(runs.map(({ digits }) => digits).join('')).toBe(text.replaceAll(/[^0-9]/g, ''));
      for (const { start, end } of runs) expect(text.slice(start, end)).toMatch(/^[0-9](?:.*[0-9])?$/s);
    }),
  );
});

test('windows are the rows of groups that have so many digits, longer ones first', () => {
  const [run] = findDigitRuns('12 345 67 8901');
  const seen: string[] = [];
  run?.visitWindows(5, 7, (window) => {
    seen.push(window.shape);
    return false;
  });
  expect(seen).toEqual(['2 3 2', '2 3', '3 2', '2 4']);
});

test('what was found is not looked at again', () => {
  const [run] = findDigitRuns('12 34 56 78 90');
  const seen: string[] = [];
  run?.visitWindows(4, 4, (window) => {
    seen.push(window.digits);
    return window.digits === '3456';
  });
  expect(seen).toEqual(['1234', '3456', '7890']);
});
