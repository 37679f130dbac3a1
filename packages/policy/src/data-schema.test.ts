import { expect, test } from 'vitest';
import { piiSchema } from './data-schema.ts';

const employee = {
  name: 'employee',
  pattern: '\\bEMP-\\d{6}\\b',
  matches: ['of EMP-123456.'],
  ignores: ['EMP-1234567'],
};

test.each<[string, Partial<typeof employee> & { longest?: number }, string | undefined]>([
  ['is right', {}, undefined],
  ['does not compile', { pattern: 'EMP-(' }, 'pattern: error parsing regexp: missing closing ): `EMP-(`'],
  ['looks ahead', { pattern: 'EMP(?=-)' }, 'pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  [
    'repeats without end',
    { pattern: '(a{1000}){1000}' },
    'pattern: error parsing regexp: invalid repeat count: `{1000}`',
  ],
  [
    'is too large',
    { pattern: '(?:a|b){400}' },
    'pattern: is too large: needs fewer repetitions, or a smaller `longest`',
  ],
  ['matches nothing', { pattern: '(?:EMP-)*' }, 'pattern: matches the empty text'],
  ['is tied to the end', { pattern: '[a^]\\$$' }, 'pattern: may not hold ^ or $, since texts come in pieces'],
  ['holds signs for ends as characters', { pattern: '[^a]?[\\^]?\\$?EMP-\\d{6}\\b' }, undefined],
  ['is not in its example', { matches: ['EMP-123456', 'EMP-12'] }, 'matches.1: does not hold what `pattern` matches'],
  ['is longer than it says', { longest: 9 }, 'longest: is less than the 10 that it matches in `matches`'],
  ['is in what it should ignore', { ignores: ['an EMP-123456'] }, 'ignores.0: holds what `pattern` matches'],
])('an own pattern that %s', (_, members, message) => {
  const { error } = piiSchema.safeParse({ request: { employee: 'block' }, patterns: [{ ...employee, ...members }] });
  expect(error?.issues.map(({ path, message }) => `${path.slice(2).join('.')}: ${message}`)[0]).toBe(message);
});
