import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesName, matchesTool } from './names.ts';

test.each([
  ['gpt-5', 'GPT-5', true],
  ['gpt-5', 'gpt-5-mini', false],
  ['gpt-5*', 'gpt-5-mini', true],
  ['gpt-5*', 'gpt-5', true],
  ['*', '', true],
  ['gpt-5', 'gpt-5 ', false],
  ['gpt-5', 'gрt-5', false],
  ['k*', '\u212aimi', false],
  ['shell', '\u017fhell', false],
  ['strasse', 'straße', false],
  ['Ärger', 'ärger', true],
  ['g.t', 'gpt', false],
])('the pattern %s and the name %s: %s', (pattern, name, expected) => {
  expect(matchesName(pattern, name)).toBe(expected);
  expect(matchesTool(pattern, name)).toBe(expected);
});

test.each([
  ['mcp__*__delete_*', 'mcp__files__delete_all', true],
  ['mcp__*__delete_*', 'mcp__delete_all', false],
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'a.example.com.evil.net', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
])('the tool pattern %s and the name %s: %s', (pattern, name, expected) => {
  expect(matchesTool(pattern, name)).toBe(expected);
});

test('tool patterns match as the same regular expression does, and end soon', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
      expect(matchesTool(pattern, name)).toBe(expression.test(name));
    }),
  );
  expect(matchesTool(`${'*a'.repeat(128)}b`, 'a'.repeat(100_000))).toBe(false);
});
