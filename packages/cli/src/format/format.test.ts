import { expect, test } from 'vitest';
import { formatFields, formatTable } from './format-table.ts';
import { formatDuration, formatUsd } from './format-values.ts';

const plain = (_style: unknown, text: string) => text;

test('a table has columns as wide as they must be, wide characters too, and no control of its cells', () => {
  const columns = [
    { head: 'NAME', cell: (row: { name: string; count: number }) => row.name },
    { head: 'N', right: true, cell: (row: { name: string; count: number }) => String(row.count) },
    { head: 'X', cell: () => 'x' },
  ];
  const rows = [
    { name: '模型', count: 5 },
    { name: 'two\nlines', count: 1200 },
  ];
  expect(formatTable(rows, columns, plain)).toBe(
    ['NAME              N  X', '模型              5  x', 'two\\u{a}lines  1200  x'].join('\n'),
  );
  expect(
    formatFields(
      [
        ['id', 'a'],
        ['source', 'b\u001b'],
      ],
      plain,
    ),
  ).toBe('id      a\nsource  b\\u{1b}');
});

test('amounts keep all the places that they have, and two at least', () => {
  expect([0, 12.5, 0.00021375, 1e-9, 9_000_000].map(formatUsd)).toEqual([
    ...['0.00', '12.50', '0.00021375', '0.000000001', '9000000.00'],
  ]);
  expect([5, 1_500, 61_000, 7_260_000].map(formatDuration)).toEqual(['5 ms', '1.5 s', '1 min', '2 h 1 min']);
});
