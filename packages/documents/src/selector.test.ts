import { expect, test } from 'vitest';
import { describeMatch, mayHold } from './selector.ts';

test.each([
  ['every request', {}, true],
  ['its name', { agents: ['build-*'] }, true],
  ['another name', { agents: ['deploy'] }, false],
  ['its label', { labels: { team: ['ops'] } }, true],
  ['another value', { labels: { team: ['sales'] } }, false],
  ['a label that it inherits from no object', { labels: { constructor: ['*'] } }, false],
  ['some of its requests', { tags: ['pii'] }, true],
  ['all but it', { not: { agents: ['build-*'] } }, false],
  ['all but another in its case', { not: { agents: ['Build-*'] } }, true],
  ['all but some of its requests', { not: { agents: ['build-*'], tags: ['pii'] } }, true],
])('a policy for %s', (_who, match, holds) => {
  expect(mayHold(match, 'build-me', { team: 'ops' })).toBe(holds);
});

test('whom a policy is for, in words', () => {
  expect(describeMatch({})).toBe('every request');
  expect(
    describeMatch({ labels: { team: ['interns', 'research'] }, tags: ['pii'], not: { agents: ['a', 'b', 'c-*'] } }),
  ).toBe('team interns or research, tag pii; not agent a, b or c-*');
});
