import { expect, test } from 'vitest';
import { listStories } from './list-stories.ts';
import { type ProveOptions, readOptions } from './read-options.ts';
import { writeTable } from './write-table.ts';

const read = (...args: string[]) => readOptions(args, listStories);
const namesOf = (options: ProveOptions | string) =>
  typeof options === 'string' ? options : options.stories.map(({ name }) => name);

test('every story has a name of its own; some of them can be chosen, in the order of the table', () => {
  const all = namesOf(read());
  expect(new Set(all).size).toBe(all.length);
  expect(namesOf(read('--only', 'soak,kill-switch'))).toEqual(['kill-switch', 'soak']);
  expect(read('--list')).toMatchObject({ isList: true });
});

test.each([
  ['--only nothing', 'there is no story nothing; there are kill-switch, '],
  ['--soak-minutes 0', '--soak-minutes must be a number above 0, not 0'],
  ['--seed 1.5', '--seed must be a whole number, not 1.5'],
  ['--onyl fuzz', "Unknown option '--onyl'"],
])('%s is refused', (args, message) => {
  expect(read(...args.split(' '))).toContain(message);
});

test('the table has a row for each story, with its figures and why it is broken', () => {
  const story = { promise: 'None fails.', figures: { requests: 12_345, slowest: '7 ms' }, seconds: 1.4 };
  const table = writeTable([
    { ...story, name: 'kept-story', fault: null },
    { ...story, name: 'broken-story', fault: 'expected 1\nto be | 0' },
    { ...story, name: 'skipped-story', fault: null, figures: { 'not tried': 'needs root' } },
  ]);
  expect(table.split('\n').slice(2, -1)).toEqual([
    '| kept-story | None fails. | requests 12,345; slowest 7 ms | 1 s | kept |',
    '| broken-story | None fails. | requests 12,345; slowest 7 ms | 1 s | **BROKEN**: expected 1 to be \\| 0 |',
    '| skipped-story | None fails. | not tried needs root | 1 s | not tried |',
  ]);
});
