import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeJson, toLinesText, toLineText } from './text.ts';

/** Characters that a terminal obeys, drops, or shows as others: two of each kind. */
const hidden = [
  ...['\u0000', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009b'],
  ...['\u2028', '\u2029', '\u202e', '\u2066', '\u200b', '\u200f', '\ufeff', '\u00ad', '\u034f', '\u3164', '\ufe0f'],
  ...['\u00a0', '\u3000', '\ud800', '\udc00', '\ue000', '\u{e0041}', '\u{e0100}', '\uffff'],
];

test('invisible characters are shown by number, and nothing else changes', () => {
  expect(toLineText('a\u001b[31mred\n\u202eb\u009b')).toBe('a\\u{1b}[31mred\\u{a}\\u{202e}b\\u{9b}');
  for (const character of hidden) {
    const shown = `a\\u{${character.codePointAt(0)?.toString(16)}}b`;
    expect(toLineText(`a${character}b`)).toBe(shown);
  }
  for (const text of ['modèle 模型 модель', 'e\u0301 with a mark', '=HYPERLINK("x") <b>', '😀']) {
    expect(toLineText(text)).toBe(text);
  }
  // Marks upon marks grow over the lines above and below.
  expect(toLineText(`Z${'\u0300'.repeat(4)}`)).toBe('Z\u0300\u0300\\u{300}\\u{300}');
});

test('any text is one line of bounded length, and any JSON stays what it was', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...hidden) }),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      expect(toLineText(text, 50)).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]*$/u);
      expect(toLineText(text, 50).length).toBeLessThanOrEqual(50 * 9 + 30);
      const json = JSON.stringify({ [text]: [text, { text }] });
      expect(escapeJson(json)).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]*$/u);
      expect(JSON.parse(escapeJson(json))).toEqual(JSON.parse(json));
    }),
  );
  expect(toLineText('x'.repeat(1_500))).toBe(`${'x'.repeat(1_000)}... (500 more)`);
  expect(toLinesText('one\n\u001btwo')).toBe('one\n\\u{1b}two');
  expect(escapeJson('{\r\n\t"a": 1}\n')).toBe('{ \n\t"a": 1}\n');
});
