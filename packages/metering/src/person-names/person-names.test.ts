import { readdirSync, readFileSync } from 'node:fs';
import { createPiiFinder } from '@agp/pii';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPersonNameDetector } from './person-name-detector.ts';

const find = createPiiFinder({ personNames: createPersonNameDetector() });
const namesIn = (text: string) =>
  find(text).flatMap(({ type, start, end }) => (type === 'person_name' ? [text.slice(start, end)] : []));

test.each([
  ['Jane Roe called.', 'Jane Roe'],
  ['It was signed by Maria.', 'Maria'],
  ['the bookkeeper, Szabina J Gelencsér, left', 'Szabina J Gelencsér'],
  ['a book by J. R. R. Tolkienova.', 'Tolkienova'],
  ['the assistant to Asya van der Berg, who left', 'Asya van der Berg'],
  ['Jean-Luc Dupont is here', 'Jean-Luc Dupont'],
  ["O'Brien said that Peter's car broke down", "Peter's"],
  ['WISŁAWA SZCZEPAŃSKA', 'WISŁAWA SZCZEPAŃSKA'],
  ['Никита Андреевич звонил', 'Никита Андреевич'],
  ['My name is Xyrth, and I am new.', 'Xyrth'],
  ['Dear Mrs. Quorl,\nthank you', 'Quorl'],
  ['J\u200bane R\u00adoe wrote', 'J\u200bane R\u00adoe'],
  ['Jane &#82;oe wrote', 'Jane &#82;oe'],
  ['Jose\u0301 Garci\u0301a wrote', 'Jose\u0301 Garci\u0301a'],
])('finds the name in %j', (text, name) => {
  expect(namesIn(text)).toEqual([name]);
});

test.each([
  'The Server Returns Not Found Where The Path Is Unknown',
  'We flew from Paris to Madrid in May.',
  'readUser(Maria_id); Maria@v1, $Maria, /Users/Maria/file, Jane.roe(), 1Jane',
  'npm install Server Components for React Native and Next',
  'Reisepass gilt bis Mai, der Antrag wurde am Montag geprüft.',
  'She works at Johnson Inc. and the Clinton Foundation.',
  'My Name Is On The List',
  'Dear Sir or Madam, hello World',
  'URI, JSON, IE and AWS',
  'i am sorry, said The Company',
  '简单的文字',
])('finds no name in %j', (text) => {
  expect(namesIn(text)).toEqual([]);
});

test('a name never takes the place of a surer finding', () => {
  const types = (text: string) => find(text).map(({ type }) => type);
  expect(types('Send it to 12 Maria Street, Leeds LS1 4AP')).toEqual(['postal_address']);
  expect(types('jane.roe@example.com')).toEqual(['email']);
});

const attacks: [string, string][] = [
  ['capitalised words', 'Xyrth Quorl '],
  ['names', 'Jane Roe '],
  ['one endless name', 'Jane '],
  ['one endless word', 'J'],
  ['hyphens', 'Jane-'],
  ['apostrophes', "J'"],
  ['initials', 'J. '],
  ['particles', 'van der '],
  ['introductions', 'my name is '],
  ['letters with marks', 'J\u0301\u0302'],
  ['zero-width characters', 'J\u200b'],
];

test.each(attacks)('long runs of %s are read to their end', (_, piece) => {
  const text = `${piece.repeat(200_000 / piece.length)}\n\nWe met Jane Roe.`;
  expect(namesIn(text).at(-1)).toBe('Jane Roe');
});

test('a megabyte of capitalised words are read to their end', () => {
  const text = `${'Xyrth Quorl Blimb '.repeat(60_000)}\n\nWe met Jane Roe.`;
  let names = 0;
  createPersonNameDetector().find({ value: text, digitRuns: () => [] }, () => {
    names += 1;
  });
  expect(names).toBe(1);
});

test('no text makes it throw, and names begin and end at their letters', () => {
  const piece = fc.constantFrom(
    'Jane',
    'Roe',
    ' ',
    '. ',
    '-',
    "'",
    'van',
    'Mr. ',
    '\ud800',
    '\u0301',
    'constructor',
    '__proto__',
    'J',
    '1',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      for (const name of namesIn(pieces.join(''))) expect(name).toMatch(/^\p{Lu}.*[\p{L}\p{M}]$/su);
    }),
    { numRuns: 300 },
  );
});

test('the lists of names are loaded by the worker that searches with them, and nobody else', () => {
  const sources = ['packages/metering/src', 'services/proxy/src'].flatMap((folder) =>
    readdirSync(new URL(`../../../../${folder}/`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const loaders = sources.filter((name) =>
    readFileSync(new URL(`../../../../${name}`, import.meta.url), 'utf8').includes("/person-name-detector.ts'"),
  );
  expect(loaders).toEqual(['packages/metering/src/scan/scan-names-worker.ts']);
});
