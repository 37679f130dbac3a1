import { expect, test } from 'vitest';
import { addDays, findLastWeek } from './search.ts';

test.each([
  ['2026-11-22T23:59:59.999Z', '2026-11-09'],
  ['2026-11-23T00:00:00.000Z', '2026-11-16'],
  ['2026-11-25T12:00:00.000Z', '2026-11-16'],
  ['2027-01-01T00:00:00.000Z', '2026-12-21'],
])('at %s last week began on %s', (now, monday) => {
  expect(findLastWeek(Date.parse(now))).toEqual({ from: monday, to: addDays(monday, 7) });
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
