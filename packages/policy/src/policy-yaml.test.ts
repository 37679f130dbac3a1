import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { describeMatch } from './describe-match.ts';
import { changeText, readPolicy, readText, writePolicy } from './policy-yaml.ts';

test.each<[string, string, [string, ...string[]], unknown, string]>([
  [
    'a comment beside',
    'name: x\nmode: observe # two\nmodels: # three\n  allow: [a]\n',
    ['mode'],
    'warn',
    'name: x\nmode: warn # two\nmodels: # three\n  allow: [a]\n',
  ],
  ['no such member', '# one\nname: x # two', ['mode'], 'warn', '# one\nname: x # two\nmode: warn\n'],
  [
    'a list at the end',
    'name: x\nexceptions: # two\n  - until: a # three\n',
    ['exceptions'],
    [{ until: 'b' }],
    'name: x\nexceptions:\n  # two\n  - until: b\n',
  ],
  [
    'a list in between',
    'exceptions:\n  - until: a\n# four\nname: x\n',
    ['exceptions'],
    [{ until: 'b' }],
    'exceptions:\n  - until: b\n# four\nname: x\n',
  ],
  [
    'a list that goes',
    'exceptions:\n  - until: a\n\n# four\nname: x\n',
    ['exceptions'],
    undefined,
    '\n# four\nname: x\n',
  ],
  ['a list on one line that goes', 'name: x\nexceptions: [] # one\n', ['exceptions'], undefined, 'name: x\n # one\n'],
  ['JSON', '{ "name": "x", "mode": "observe" } # one', ['mode'], 'warn', 'name: x\nmode: warn\n'],
  [
    'a name more in a list',
    '# one\nmodels: # two\n  # three\n  allow:\n    - a # four\n    - b\n# five\nname: x\n',
    ['models', 'allow'],
    ['a', 'c'],
    '# one\nmodels:\n  # two\n  # three\n  allow:\n    - a # four\n    - c\n# five\nname: x\n',
  ],
  [
    'members that were not there',
    'match: { agents: [a] } # one\nname: x\n',
    ['match', 'not', 'tags'],
    ['b'],
    'match: { agents: [ a ], not: { tags: [ b ] } } # one\nname: x\n',
  ],
])('a text with %s keeps the rest as it is', (_, text, path, value, expected) => {
  const changed = changeText(text, path, value);
  expect(changed).toBe(expected);
  expect(path.reduce((inside, name) => inside?.[name], parse(changed))).toEqual(value);
});

test.each([
  ['# '.repeat(33_000), 'must be no longer than 65536 characters'],
  ['? '.repeat(10_000), 'may hold no key that begins with ?'],
  [`[${'a,'.repeat(30_000)}]`, 'says more than a policy needs'],
  [Array.from({ length: 1_001 }, (_, at) => `a${at}: 1`).join('\n'), 'says more than a policy needs'],
])('a text that would take long is not read: %#', (text, message) => {
  expect(readPolicy(text).faults).toMatchObject([{ message }]);
});

test('what is wrong with a text speaks of what it is of', () => {
  const { faults } = readText(`[${'a,'.repeat(30_000)}]`, z.any(), 'identity');
  expect(faults).toMatchObject([{ message: 'says more than an identity needs' }]);
});

describe('a text that is no policy has its faults at their places', () => {
  test.each([
    ['name: interns\nmode: enforced\n', ['enforced:mode:must be one of observe, warn, enforce']],
    ['name: interns\nmodles:\n  allow: [a]\n', ['modles:modles:no such member here']],
    ['name: x\nmodels:\n  allow: [a, "b*c"]\n', ['"b*c":models.allow.1:may hold * at its end alone']],
    ['name: x\ntools:\n  client:\n    deyn: [a]\n', ['deyn:deyn:no such member here', 'client:tools.client:must hold']],
    ['name: x\nlimits:\n  over: lower\n', ['limits:limits:must hold a limit']],
    ['name: x\nhours: { allow: Mon 9-5, zone: Moon }\n', ['Mon 9-5:hours.allow:must be such as', 'Moon:hours.zone:']],
    ['name: x\nname: y\n', ['n:Map keys must be unique']],
    ['name: [\n', [':Flow sequence']],
    ['mode: warn\n', ['mode: warn:name:is missing']],
    ['', [':policy:']],
  ])('%j', (text, expected) => {
    const { policy, faults } = readPolicy(text);
    expect(policy).toBeNull();
    const shown = faults.map(({ from, to, message }) => `${text.slice(from, to)}:${message.replace(': ', ':')}`);
    expect(shown).toHaveLength(expected.length);
    for (const [index, fault] of shown.entries()) expect(fault).toContain(expected[index]);
  });
});

test('a stored policy is written so that it reads the same, and no alias makes much of little', () => {
  const { policy } = readPolicy('name: x\nuntil: 2027-01-31\nrefusal: "Ask #ai-gov"\nmatch: { tags: ["1", "true"] }\n');
  expect(policy).toMatchObject({ until: '2027-01-31', refusal: 'Ask #ai-gov', match: { tags: ['1', 'true'] } });
  expect(readPolicy(writePolicy(policy ?? {})).policy).toEqual(policy);
  const bomb = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, at) => `b${at}: &b${at} [*${at === 0 ? 'a' : `b${at - 1}`}, *a]\n`).join('')}`;
  expect(readPolicy(bomb).policy).toBeNull();
});

test('whom a policy is for, in words', () => {
  expect(describeMatch({})).toBe('every request');
  expect(
    describeMatch({ labels: { team: ['interns', 'research'] }, tags: ['pii'], not: { agents: ['a', 'b', 'c-*'] } }),
  ).toBe('team interns or research, tag pii; not agent a, b or c-*');
});
