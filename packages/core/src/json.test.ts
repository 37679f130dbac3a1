import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findOutlineFault, maxJsonDepth, nestsDeeperThan, parseJson } from './json.ts';

type Outcome = { value: unknown } | { code: string };

function outcomeOf(parse: () => unknown): Outcome {
  try {
    return { value: parse() };
  } catch (error) {
    return { code: error instanceof SyntaxError ? 'not_json' : (error as { code: string }).code };
  }
}

const nest = (levels: number, inner = '"x"') => '[1,'.repeat(levels) + inner + ']'.repeat(levels);

/** Texts that are nearly JSON: of its own pieces, in any order. */
const nearJson = fc
  .array(fc.constantFrom('{', '}', '[', ']', '"', '\\', '\\"', ',', ':', '"a":', '1', 'null', ' ', 'é', '\u0000'), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));

test('it gives for JSON, in values or bytes, the result of JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'large' }), fc.constantFrom(0, 1, 3, maxJsonDepth), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      for (const each of [text, spaced]) {
        const expected = JSON.parse(each);
        expect(parseJson(each)).toEqual(expected);
        expect(parseJson(Buffer.from(each))).toEqual(expected);
        expect(parseJson(new TextEncoder().encode(each))).toEqual(expected);
        expect(findOutlineFault(each, maxJsonDepth)).toBe(null);
      }
    }),
  );
});

test('bytes and texts that are no JSON are refused, or read as JSON.parse reads them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), nearJson, fc.string({ unit: 'binary' }), (bytes, near, text) => {
      const decoded = Buffer.from(bytes).toString('utf8');
      expect(outcomeOf(() => parseJson(bytes))).toEqual(outcomeOf(() => JSON.parse(decoded)));
      for (const each of [near, text, JSON.stringify(text), `${JSON.stringify(text)}]`])
        expect(outcomeOf(() => parseJson(each))).toEqual(outcomeOf(() => JSON.parse(each)));
    }),
    { numRuns: 100 },
  );
});

test('with a low bound it gives the same, or says that the text is too deep or broken', () => {
  fc.assert(
    fc.property(fc.oneof(nearJson, fc.json()), fc.integer({ min: 1, max: 3 }), (text, maxDepth) => {
      const bounded = outcomeOf(() => parseJson(text, { maxDepth }));
      const parsed = outcomeOf(() => JSON.parse(text));
      if ('value' in bounded) expect(parsed).toEqual(bounded);
      else if ('value' in parsed) {
        expect(bounded.code).toBe('too_deep');
        expect(nestsDeeperThan(text, maxDepth)).toBe(true);
      }
    }),
    { numRuns: 150 },
  );
});

test('the deepest that is parsed has as many levels as the bound', () => {
  expect(parseJson(nest(maxJsonDepth))).toEqual(JSON.parse(nest(maxJsonDepth)));
  expect(() => parseJson(nest(maxJsonDepth + 1))).toThrow(expect.objectContaining({ code: 'too_deep' }));
  expect(() => parseJson(Buffer.from(nest(3)), { maxDepth: 2 })).toThrow(expect.objectContaining({ code: 'too_deep' }));
});

test.each([
  ['lists that end in an open string', `${'[1,'.repeat(10_000)}"x`, 'too_deep'],
  ['lists behind each other that never end', `${'[],'.repeat(10_000)}"x`, 'not_json'],
  ['objects that end in an open string', `${'{"a":'.repeat(10_000)}"x`, 'too_deep'],
  ['objects in lists', '[{"a":'.repeat(10_000), 'too_deep'],
  ['a million brackets', '['.repeat(1_000_000), 'too_deep'],
  ['brackets that close what they did not open', `${'[}'.repeat(10_000)}`, 'not_json'],
  ['a string of brackets that never ends', `"${'[{'.repeat(10_000)}`, 'not_json'],
  ['a string that ends in an escaped quote', `["${'[{'.repeat(10_000)}\\"]`, 'not_json'],
  [
    'depth behind a string of closing brackets',
    `[${JSON.stringify(']'.repeat(9_000))},${'['.repeat(9_000)}`,
    'too_deep',
  ],
  ['depth behind strings that end in backslashes', `["\\\\",${'["\\\\\\"",'.repeat(9_000)}`, 'too_deep'],
])('%s are refused without being quoted', (_, text, code) => {
  for (const source of [text, Buffer.from(text)]) {
    const outcome = outcomeOf(() => parseJson(source));
    expect(outcome).toEqual({ code });
    expect(() => parseJson(source)).toThrow(/^(nests too deep|is not JSON)$/);
  }
});

test.each([
  '1.50',
  ' -0.0 ',
  '[1e2,-1.0]',
  '{"a": 12345678901234567890}',
  '{"a":[\n1.0,"2.0"]}',
  '{"a":["1",null,{"b":"c"}]}',
])('digits are kept: %s', (json) => {
  const written = JSON.stringify(parseJson(json, { keepsDigits: true }));
  expect(written).toBe(json.replace(/\s/g, ''));
});

test('brackets in strings are no depth', () => {
  const text = JSON.stringify({ code: '[{'.repeat(5_000), quoted: '"[\\"'.repeat(5_000), 'key[[[': ['\\'.repeat(9)] });
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test('a byte order mark is refused, a key named __proto__ is a key', () => {
  expect(() => parseJson(Buffer.from('\ufeff{}'))).toThrow(expect.objectContaining({ code: 'not_json' }));
  const parsed = parseJson('{"__proto__":{"polluted":true}}') as object;
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(Object.hasOwn(parsed, '__proto__')).toBe(true);
});

test('JSON that is cut nests as deep as what is there of it', () => {
  expect(nestsDeeperThan('[1,'.repeat(5), 4)).toBe(true);
  expect(nestsDeeperThan('[1,'.repeat(5), 5)).toBe(false);
  expect(nestsDeeperThan(`[[],[],[],[],"${'['.repeat(9)}`, 4)).toBe(false);
});
