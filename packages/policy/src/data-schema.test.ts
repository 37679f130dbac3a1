import { expect, test } from 'vitest';
import { piiSchema } from './data-schema.ts';
import { findPatternFault } from './own-patterns.ts';

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
    'pattern: may cost 531 steps a character, and 500 are allowed: needs fewer repetitions, or a smaller `longest`',
  ],
  ['matches nothing', { pattern: '(?:EMP-)*' }, 'pattern: matches the empty text'],
  ['is tied to the end', { pattern: '[a^]\\$$' }, 'pattern: may not hold ^ or $, since texts come in pieces'],
  ['holds signs for ends as characters', { pattern: '[^a]?[\\^]?\\$?EMP-\\d{6}\\b' }, undefined],
  ['is not in its example', { matches: ['EMP-123456', 'EMP-12'] }, 'matches.1: does not hold what `pattern` matches'],
  ['is longer than it says', { longest: 9 }, 'longest: is less than the 10 that it matches in `matches`'],
  ['is in what it should ignore', { ignores: ['an EMP-123456'] }, 'ignores.0: holds what `pattern` matches'],
])('an own pattern that %s', (_, members, message) => {
  const pii = piiSchema.parse({ request: { employee: 'block' }, patterns: [{ ...employee, ...members }] });
  const fault = findPatternFault({ name: 'p', pii });
  expect(fault === null ? undefined : `${fault.path.slice(3).join('.')}: ${fault.message}`).toBe(message);
});

const costly = (at: number) => ({
  ...{ name: `costly_${at}`, pattern: '[A-Za-z]{2,20}-[0-9]{2,8}#', longest: 128 },
  ...{ matches: ['ab-12#'], ignores: ['ab'] },
});
const withCostly = (name: string, count: number) => ({
  name,
  pii: piiSchema.parse({ request: { all: 'block' }, patterns: Array.from({ length: count }, (_, at) => costly(at)) }),
});

test.each([
  ['of one policy', withCostly('p', 5), [], 'patterns of this policy may cost 1000 steps a character'],
  [
    'of all policies of a call',
    withCostly('p', 1),
    [withCostly('q', 3)],
    'patterns that one call may meet may cost 1000',
  ],
])('patterns %s cost no more than is allowed', (_, policy, beside, message) => {
  expect(findPatternFault(withCostly('p', 2), [withCostly('q', 1)])).toBeNull();
  const { path, message: told } = findPatternFault(policy, beside) ?? { path: [], message: '' };
  expect(path.slice(0, 2)).toEqual(['pii', 'patterns']);
  expect(told).toContain(message);
});
