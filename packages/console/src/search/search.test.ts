import { expect, test } from 'vitest';
import { searches } from './screen-searches.ts';
import { addDays, findLastWeek, findMonth, isTime, readPageNumber, readText } from './search.ts';

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

test.each(['30m', '7d', 'today', '2026-11-20', '2026-11-20T09:30:00Z', '2026-11-20T09:30:00.123+02:00'])(
  '%s is a time',
  (text) => expect(isTime(text)).toBe(true),
);
test.each(['', 'tomorrow', '0d', '7w', '2026', '2026-11-20 09:30', '7d;drop'])('%j is no time', (text) =>
  expect(isTime(text)).toBe(false),
);

test.each([
  ['2026-11-22T23:59:59.999Z', '2026-11-09'],
  ['2026-11-23T00:00:00.000Z', '2026-11-16'],
  ['2026-11-25T12:00:00.000Z', '2026-11-16'],
  ['2027-01-01T00:00:00.000Z', '2026-12-21'],
])('at %s last week began on %s', (now, monday) => {
  expect(findLastWeek(Date.parse(now))).toEqual({ from: monday, to: addDays(monday, 7) });
});

test('a month ends where the next begins, in another year too', () => {
  const now = Date.parse('2026-01-31T23:59:59Z');
  expect([findMonth(0, now), findMonth(1, now)]).toEqual([
    { from: '2026-01-01', to: '2026-02-01' },
    { from: '2025-12-01', to: '2026-01-01' },
  ]);
});

test.each([
  ['2026-02-28', 1, '2026-03-01'],
  ['2026-01-01', -1, '2025-12-31'],
  ['9999-12-31', 1, undefined],
  ['2026-13-45', 1, undefined],
  ['today', 1, undefined],
])('%s and %i days is %s', (day, days, later) => {
  expect(addDays(day, days)).toBe(later);
});
