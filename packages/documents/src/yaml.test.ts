import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { changeText, readText, rewriteText } from './yaml.ts';

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
  expect(readText(text, z.any(), 'policy').faults).toMatchObject([{ message }]);
});

test('what is wrong with a text speaks of what it is of', () => {
  const { faults } = readText(`[${'a,'.repeat(30_000)}]`, z.any(), 'identity');
  expect(faults).toMatchObject([{ message: 'says more than an identity needs' }]);
});

test('a text says another document with its comments, also if storage has turned labels round', () => {
  const text = 'name: x\nmatch:\n  team: [sales] # asked by Ann\n  env: [prod]\nmode: warn\n';
  const to = { match: { env: ['prod'], team: ['sales'] }, mode: 'observe', name: 'x' };
  expect(rewriteText(text, z.looseObject({}), to)).toBe(text.replace('warn', 'observe'));
});
