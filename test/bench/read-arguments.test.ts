import { expect, test } from 'vitest';
import { toValues } from './read-arguments.ts';

const defaults = { minutes: 10, streams: '2000,10000', each: false };

test('options are read as the type of their default, which stands for what is left out', () => {
  expect(toValues(['--minutes', '0.5'], defaults)).toEqual({ values: { ...defaults, minutes: 0.5 } });
  expect(toValues(['--streams', ''], defaults)).toEqual({ values: { ...defaults, streams: '' } });
  expect(toValues(['--each'], defaults)).toEqual({ values: { ...defaults, each: true } });
});

test('help is help, and what is wrong is named', () => {
  expect(toValues(['--help'], defaults)).toBe('help');
  expect(toValues(['--hours', '1'], defaults)).toEqual({ wrong: expect.stringContaining('--hours') });
  for (const text of ['', 'x', 'NaN'])
    expect(toValues(['--minutes', text], defaults)).toEqual({
      wrong: `--minutes must be a number, 0 or more, not "${text}"`,
    });
});
