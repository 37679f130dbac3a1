import { expect, test } from 'vitest';
import { searches } from './screen-searches.ts';
import { addDays, isTime, readPageNumber, readText } from './search.ts';

test('an address that anybody wrote brings only what the API would take', () => {
  expect(
    searches['/events']({
      agent_id: 'agt_1',
      outcome: 'exploded',
      failed: true,
      from: 'now()',
      to: '2026-11-20',
      cursor: { at: 1 },
      model: 'x'.repeat(257),
      unknown: 'left out',
    }),
  ).toEqual({ agent_id: 'agt_1', failed: true, to: '2026-11-20' });
});

test('digits and words that the router reads as values stay text', () => {
  expect(readText(42)).toBe('42');
  expect(readText(true)).toBe('true');
  expect(readText(['a'])).toBeUndefined();
});

test.each([
  ['2', 2],
  ['1', undefined],
  ['-3', undefined],
  ['1e9', undefined],
  ['two', undefined],
])('page %s is %s', (text, page) => {
  expect(readPageNumber(text)).toBe(page);
});

test.each(['30m', '7d', 'today', 'last-month', '2026-11-20', '2026-11-20T09:30:00Z', '2026-11-20T09:30:00.123+02:00'])(
  '%s is a time',
  (text) => expect(isTime(text)).toBe(true),
);
test.each(['', 'tomorrow', 'last-year', '0d', '7w', '2026', '2026-11-20 09:30', '7d;drop'])('%j is no time', (text) =>
  expect(isTime(text)).toBe(false),
);

test.each([
  ['2026-02-28', 1, '2026-03-01'],
  ['2026-01-01', -1, '2025-12-31'],
  ['9999-12-31', 1, undefined],
  ['2026-13-45', 1, undefined],
  ['today', 1, undefined],
])('%s and %i days is %s', (day, days, later) => {
  expect(addDays(day, days)).toBe(later);
});
