import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPiiFinder } from '../find-pii.ts';
import { readTags, unmask } from './unmask.ts';

const find = createPiiFinder();
const read = (text: string) => unmask(text)?.value ?? text;

const card = '4111 1111 1111 1111';
const mail = 'jane.roe@example.com';

const each = (text: string, write: (character: string) => string) => Array.from(text, write).join('');
const between = (mask: string) => (text: string) => [...text].join(mask);
const digits = (zero: number) => (text: string) =>
  each(text, (c) => (/\d/.test(c) ? String.fromCodePoint(zero + Number(c)) : c));
const letters = (code: (letter: number) => number) => (text: string) =>
  each(text, (c) => (/[a-z]/.test(c) ? String.fromCodePoint(code(c.charCodeAt(0) - 97)) : c));
const codes = (write: (code: number) => string) => (text: string) => each(text, (c) => write(c.charCodeAt(0)));
const hex = (code: number, length = 2) => code.toString(16).padStart(length, '0');

/** Ways to write a number and an address so that people and models read it as ever. */
const masks: Record<string, (text: string) => string> = {
  'zero-width spaces': between('\u200b'),
  'zero-width joiners': between('\u200d'),
  'soft hyphens': between('\u00ad'),
  'word joiners': between('\u2060'),
  'byte order marks': between('\ufeff'),
  'controls of direction': between('\u202e\u2066'),
  'variation selectors': between('\ufe0f'),
  'hangul fillers': between('\u3164'),
  tags: between('\u{e0041}'),
  'control characters': between('\u0001'),
  'combining marks': between('\u0336'),
  keycaps: (text) => text.replaceAll(/\d/g, '$&\ufe0f\u20e3'),
  'many at once': between('\u200b'.repeat(50)),
  'full width': codes((code) => (code === 32 ? '\u3000' : String.fromCharCode(code + 0xfee0))),
  'Arabic digits': digits(0x660),
  'Persian digits': digits(0x6f0),
  'Devanagari digits': digits(0x966),
  'digits of a row right behind another': digits(0x116da),
  'bold digits': digits(0x1d7ce),
  'typewriter digits': digits(0x1d7f6),
  'small digits below': digits(0x2080),
  'digits in circles': (text) => each(text, (c) => (/[1-9]/.test(c) ? String.fromCodePoint(0x245f + Number(c)) : c)),
  'digits in black circles': (text) =>
    each(text, (c) => (/[1-9]/.test(c) ? String.fromCodePoint(0x2775 + Number(c)) : c)),
  'bold letters': letters((letter) => 0x1d41a + letter),
  'letters in circles': letters((letter) => 0x24d0 + letter),
  'letters in black squares': letters((letter) => 0x1f170 + letter),
  'no-break spaces': (text) => text.replaceAll(' ', '\u00a0'),
  'figure spaces': (text) => text.replaceAll(' ', '\u2007'),
  'long dashes': (text) => text.replaceAll(' ', '\u2014'),
  'minus signs': (text) => text.replaceAll(' ', '\u2212'),
  'emphasis of a part': (text) => text.replace(/ (\d+) /, ' **$1** '),
  'emphasis within': (text) => text.replace(/(\d)(\d) /, '$1**$2** '),
  'emphasis in HTML': (text) => text.replaceAll(/\d{3}(?=\d)/g, '$&<b>').replaceAll(' ', '</b> '),
  'entities by number': codes((code) => `&#${code};`),
  'hexadecimal entities without an end': codes((code) => `&#x${hex(code)}`),
  'zero-width entities': between('&#8203;'),
  'soft entities': between('&shy;'),
  'entities in entities': between('&amp;#8203;'),
  'percent signs': codes((code) => `%${hex(code)}`),
  'zero-width percent signs': between('%E2%80%8B'),
  'percent signs in percent signs': (text) => text.replaceAll(/[@ ]/g, (c) => `%25${hex(c.charCodeAt(0))}`),
  'escapes of JSON': codes((code) => `\\u${hex(code, 4)}`),
  'escapes in escapes': codes((code) => `\\\\\\u${hex(code, 4)}`),
  'escapes of code': codes((code) => `\\x${hex(code)}`),
};

/** Text around a finding that would make it part of a longer word if it were taken for letters. */
const frames: typeof masks = {
  code: (text) => text.replaceAll(/\d+/g, '`$&`'),
  'escaped line ends beside': (text) => `\\n${text}\\n`,
  'colours of a terminal': (text) => `\u001b[1;31m${text}\u001b[0m`,
};

test.each(Object.entries(masks))('%s hide neither a number nor an address', (_, mask) => {
  for (const [text, type] of [[card, 'credit_card'] as const, [mail, 'email'] as const]) {
    const masked = mask(text);
    const before = 'Look: ';
    const [found, ...others] = find(`${before}${masked} is it`);
    expect([found?.type, others], masked).toEqual([type, []]);
    const slice = `${before}${masked} is it`.slice(found?.start, found?.end);
    expect(read(read(slice)).trim()).toBe(read(read(masked)).trim());
  }
});

test.each(Object.entries(frames))('%s make no other number or address of one', (_, frame) => {
  expect(find(frame(card)).map(({ type }) => type)).toEqual(['credit_card']);
  expect(find(frame(mail)).map(({ type }) => type)).toEqual(['email']);
});

test('what is written in tags alone is found there', () => {
  const text = `Hello 😀${codes((code) => String.fromCodePoint(0xe0000 + code))(`to ${mail} `)}!`;
  expect(readTags(text)?.value.trim()).toBe(`to ${mail}`);
  expect(find(text)).toMatchObject([{ type: 'email', start: 8 + 6, end: 8 + 6 + 2 * mail.length }]);
  expect(readTags('Hello')).toBeNull();
});

test('PII found in a text as written is still found, whatever is put next to it', () => {
  for (const mask of ['\u200bx', '\u0336', '²', '①']) {
    expect(find(`${card}${mask}`).map(({ type }) => type)).toEqual(
      mask === '\u0336' ? ['credit_card'] : ['credit_card'],
    );
  }
  expect(find(`①${card}`).map(({ type }) => type)).toEqual(['credit_card']);
});

test.each([
  '',
  'Plain text: 12, 3 % of it, a\\d+ & b; C:\\data',
  'Größe – “ça va” … 今天，很好。',
  'x ** y, a__b__c, `code`',
])('a text of no such thing is left as it is: %s', (text) => {
  expect(read(text)).toBe(text.replaceAll('–', '-'));
});

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(...Object.values(masks).flatMap((mask) => [mask(card), mask(mail), mask('0')])),
  fc.constantFrom(
    '\ud800',
    '\udc00',
    '\u{1f100}',
    '№',
    '&amp;',
    '%25',
    '\\\\n',
    ' **',
    '12',
    ' ',
    '\u200b',
    card,
    mail,
  ),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

test('where something is found in the original is where it reads as what was found', () => {
  fc.assert(
    fc.property(text, (original) => {
      const reading = unmask(original);
      if (reading === null) return;
      const { value } = reading;
      let end = 0;
      for (let at = 0; at < value.length; at++) {
        const place = reading.toOriginal(at, at + 1);
        expect(place.end).toBeGreaterThan(place.start);
        // Several characters that replace one have its place.
        expect(place.start >= end || place.end === end).toBe(true);
        end = place.end;
      }
      expect(end).toBeLessThanOrEqual(original.length);
      for (const found of find(value)) {
        const place = reading.toOriginal(found.start, found.end);
        expect(place.end - place.start).toBeGreaterThan(0);
      }
    }),
    { numRuns: 200 },
  );
});

test('a masked finding covers exactly the masked text of the original, whatever surrounds it', () => {
  const quiet = fc.constantFrom('', 'Well \u200b', '今天 ', '&nbsp; ', '\u{1f600} ', 'a%20b ', '１２ ', '\ud800 ');
  fc.assert(
    fc.property(quiet, fc.constantFrom(...Object.values(masks)), quiet, (before, mask, after) => {
      const masked = mask(mail);
      const original = `${before}, ${masked}, ${after}`;
      const found = find(original).find(({ type }) => type === 'email');
      expect(read(read(original.slice(found?.start, found?.end))).toLowerCase()).toBe(mail);
    }),
    { numRuns: 150 },
  );
});

test.each([
  '\u200b',
  '\u0336',
  '１',
  '&#8203;',
  '%41',
  '\\u0041',
  '\\',
  '&',
  '**1',
  '1 **',
  '\u{e0041}',
  '𝟎',
  '<b>',
  '1—',
])('two hundred thousand of %j are read to their end', (unit) => {
  const found = find(`${unit.repeat(200_000 / unit.length)}\n ${mail}`);
  expect(found.at(-1)).toMatchObject({ type: 'email' });
});
