import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Column, formatFields, formatTable, measureText, timeColumn } from './table.ts';

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
  expect(formatTable(rows, columns, plain)).toEqual({
    text: ['NAME              N  X', '模型              5  x', 'two\\u{a}lines  1200  x'].join('\n'),
    omitted: [],
  });
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

interface Row {
  time: string;
  name: string;
  model: string;
  cost: string;
  id: string;
}

const columns: Column<Row>[] = [
  timeColumn('TIME', 'time'),
  { head: 'NAME', cell: ({ name }) => name, least: 8 },
  { head: 'MODEL', cell: ({ model }) => model, least: 6, spare: 1 },
  { head: 'COST', right: true, cell: ({ cost }) => cost, spare: 2 },
  { head: 'ID', cell: ({ id }) => id },
];
const row: Row = {
  time: '2026-11-22T05:06:07.890Z',
  name: 'invoice-checker-of-the-north',
  model: 'gpt-5-mini',
  cost: '0.00021375',
  id: 'evt_01k9r3v8w5f2q8m6t4n0x7y1zb',
};

test('on a narrow terminal times are brief, texts end with an ellipsis, and what can be spared goes', () => {
  const at = (room?: number) => formatTable([row], columns, plain, room);
  const whole =
    '2026-11-22 05:06:07Z  invoice-checker-of-the-north  gpt-5-mini  0.00021375  evt_01k9r3v8w5f2q8m6t4n0x7y1zb';
  expect(at().text.split('\n')[1]).toBe(whole);
  expect(at(120).text).toBe(at().text);
  expect(at(100).text.split('\n')[1]).toBe(
    '11-22 05:06:07  invoice-checker-of-the-north  gpt-5-mini  0.00021375  evt_01k9r3v8w5f2q8m6t4n0x7y1zb',
  );
  expect(at(80)).toEqual({
    text: [
      'TIME            NAME       MODEL            COST  ID',
      '11-22 05:06:07  invoice-…  gpt-5-mi…  0.00021375  evt_01k9r3v8w5f2q8m6t4n0x7y1zb',
    ].join('\n'),
    omitted: [],
  });
  expect(at(70)).toMatchObject({ omitted: ['COST'] });
  expect(at(60)).toMatchObject({ omitted: ['MODEL', 'COST'] });
});

const hostile = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '\u001b[2J',
    '\n',
    '\r',
    '\t',
    '模',
    '한',
    '😀',
    'e\u0301',
    '\u202e',
    '👩‍👩‍👧',
    '🇫🇮',
    '\u{1fae0}',
    '\u{17000}',
    'ﷺ',
  ),
  maxLength: 60,
});

test('no line is wider than the terminal, whatever its cells hold; without one nothing is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: hostile, model: hostile, cost: hostile }), { maxLength: 4 }),
      fc.integer({ min: 40, max: 200 }),
      (rows, room) => {
        const full = rows.map((each) => ({ ...row, ...each }));
        const { text, omitted } = formatTable(full, columns, plain, room);
        const lines = text.split('\n');
        expect(lines).toHaveLength(rows.length + 1);
        for (const line of lines) {
          expect(measureText(line)).toBeLessThanOrEqual(room);
          expect(line).toMatch(/^[^\p{C}]*$/u);
        }
        expect(lines[0]?.split(/\s{2,}/)).toEqual(
          columns.map(({ head }) => head).filter((head) => !omitted.includes(head)),
        );
        expect(formatTable(full, columns, plain).text).not.toContain('…');
      },
    ),
    { numRuns: 200 },
  );
});

test('fields are wrapped between words where there is a room for them, and hold no control', () => {
  const fields = [
    ['agents', 'one, two\n, \u001b[2Jthree, four', 'red'],
    ['pii', 'none'],
  ] as const;
  expect(formatFields(fields, plain, 24)).toBe(
    ['agents  one, two\\u{a},', '        \\u{1b}[2Jthree,', '        four', 'pii     none'].join('\n'),
  );
});

test('ten thousand rows, and texts that take long to measure, are drawn at once', () => {
  const began = performance.now();
  const rows = Array.from({ length: 10_000 }, (_, at) => ({ ...row, id: `evt_${at}` }));
  expect(formatTable(rows, columns, plain, 80).text.split('\n')).toHaveLength(10_001);
  const slow = { ...row, name: `${'\u001b'.repeat(50_000)}名` };
  formatTable([slow], columns, plain, 80);
  formatTable([slow], columns, plain);
  expect(performance.now() - began).toBeLessThan(30_000);
});
