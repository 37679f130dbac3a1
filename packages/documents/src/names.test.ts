import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { isListed } from './names.ts';

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
  expect(isListed([pattern], name)).toBe(expected);
  expect(isListed(['other', pattern, 'b*', '*z', 'a*b*z'], name)).toBe(expected);
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
  expect(isListed([pattern], name)).toBe(expected);
});

test('a list stands for the same names as a regular expression of each of its patterns does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), text, (patterns, name) => {
      const expressions = patterns.map((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`));
      expect(isListed(patterns, name)).toBe(expressions.some((expression) => expression.test(name)));
    }),
  );
});

test('a look-up costs the same however many names, beginnings and ends a list has', () => {
  const look = (size: number) => {
    const list = Array.from({ length: size }, (_, index) => [`${index}`, `${index}-*`, `*-${index}`]).flat();
    isListed(list, 'made ready');
    const compared = ['startsWith', 'endsWith', 'indexOf'].map((name) => vi.spyOn(String.prototype, name as 'at'));
    isListed(list, 'x'.repeat(20));
    const count = compared.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    for (const spy of compared) spy.mockRestore();
    return count;
  };
  expect(look(10_000)).toBe(look(10));
});
