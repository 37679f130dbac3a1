import { expect, test } from 'vitest';
import { type Allowance, countLines, findExcess } from './count-lines.ts';

test('each line of code is in one room and of one kind', () => {
  const { rooms, kinds } = countLines('HEAD');
  const sum = (lines: Iterable<{ now: number }>) => [...lines].reduce((total, { now }) => total + now, 0);
  expect(sum(rooms.values())).toBe(sum(kinds.values()));
  expect([...kinds.keys()].toSorted()).toEqual(['console', 'source', 'tests']);
  expect(rooms.get('metering')?.now).toBeGreaterThan(1_000);
});

test('an issue that passes its allowance fails', () => {
  const allowance: Allowance = { issue: 'i', since: 'HEAD', most: { source: 10, console: -5 } };
  const kinds = (source: number, console: number) =>
    new Map([
      ['source', { now: 100, more: source }],
      ['console', { now: 50, more: console }],
    ] as const);
  expect(findExcess(allowance, kinds(10, -5))).toEqual([]);
  expect(findExcess(allowance, kinds(11, -4))).toEqual([
    'source: 11 lines more, 10 are allowed',
    'console: -4 lines more, -5 are allowed',
  ]);
});
