import { expect, test } from 'vitest';
import { readEventsSearch } from './screen-searches.ts';
import { isTime, readPageNumber, readText } from './search.ts';

test('an address that anybody wrote brings only what the API would take', () => {
  expect(
    readEventsSearch({
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
  expect(readText({ search: 42 }, 'search')).toBe('42');
  expect(readText({ search: true }, 'search')).toBe('true');
  expect(readText({ search: ['a'] }, 'search')).toBeUndefined();
});

test.each([
  ['2', 2],
  ['1', undefined],
  ['-3', undefined],
  ['1e9', undefined],
  ['two', undefined],
])('page %s is %s', (text, page) => {
  expect(readPageNumber({ page: text })).toBe(page);
});

test.each(['30m', '7d', 'today', '2026-11-20', '2026-11-20T09:30:00Z', '2026-11-20T09:30:00.123+02:00'])(
  '%s is a time',
  (text) => expect(isTime(text)).toBe(true),
);
test.each(['', 'tomorrow', '0d', '7w', '2026', '2026-11-20 09:30', '7d;drop'])('%j is no time', (text) =>
  expect(isTime(text)).toBe(false),
);
