import { createTextSearch, type FoundValue, piiGroups, type TextSearch } from '@agp/pii';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEnds } from '../../packages/pii/src/open-ends.ts';
import { labelledSentences } from './labelled-sentences.ts';

const sentences = labelledSentences.map((sentence) => ({
  text: sentence.replaceAll(/\[\w+\|([^\]]*)\]/g, '$1'),
  kinds: [...new Set([...sentence.matchAll(/\[(\w+)\|/g)].map(([, kind]) => kind as string))].filter(
    (kind) => kind !== 'person_name',
  ),
}));

const all = createTextSearch(piiGroups.all, []);

/** What of a text's findings a stream that ends with it has let through, if it was released before each cut as `findOpen` says. */
function listLeaks(search: TextSearch, text: string, cuts: Iterable<number>): string[] {
  const whole = search.find(text);
  const leaks: string[] = [];
  for (const cut of cuts) {
    const prefix = text.slice(0, cut);
    const open = search.findOpen(prefix);
    const known = search.find(prefix);
    const isKnown = (at: number) => known.some(({ start, end }: FoundValue) => start <= at && at < end && end <= open);
    for (const { kind, start, end } of whole)
      for (let at = start; at < Math.min(end, open); at++)
        if (!isKnown(at)) {
          leaks.push(`${kind} ${text.slice(start, end)}: ${text.slice(0, open)}|${text.slice(open, cut)}`);
          break;
        }
    if (known.some(({ start, end }) => start < open && open < end)) leaks.push(`within: ${prefix}`);
  }
  return leaks;
}

const splits = (text: string) => Array.from({ length: text.length + 1 }, (_, at) => at);

test.each(sentences)('nothing is let through that is found later: $text', ({ text, kinds }) => {
  for (const whole of [text, `${text}, and so on`]) {
    expect(listLeaks(all, whole, splits(whole))).toEqual([]);
    for (const kind of kinds) expect(listLeaks(createTextSearch([kind], []), whole, splits(whole))).toEqual([]);
  }
});

const secret = 'aB3dE5gH7jK9mN1pQ4rS';
const secrets = [
  "password: hunter2abc!'",
  `api_key='${secret}'`,
  `authorization: Bearer ${secret}`,
  'the password is Tr0ub4dor, ok',
  'AKIAIOSFODNN7EXAMPLQ',
  `sk-proj-${secret.repeat(2)}`,
  `SK${'0a1b2c3d4e5f6071'.repeat(2)} of twilio`,
  'https://bob:hT7fk29dQx@db.example:5432/x',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n'.repeat(3)}-----END PRIVATE KEY-----`,
  '0x52908400098527886e0f7030069857d2e4169ee7 is the wallet',
  'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10',
];
const parts =
  '1|12|4111| |-|.|,|/|\n|@|a|X|(|)|+44|00| and | Street|Oak| Lane| rue de| is at |phone |ext 12| x12| office|ssn|:|::|2001:db8|AB|é|passport |born | May| 1981|05/04|PO Box|new |zealand|utca |DE89|=|"|password|\\|//|IL 62704|Apt 4|. |<|*|021000021|routing|1234567|BSN |111222333';
const code = (write: (code: number) => string) => (text: string) =>
  Array.from(text, (c) => write(c.charCodeAt(0))).join('');
/** Masked spellings, of which more in packages/pii/src/text/unmask.test.ts. */
const masks: ((text: string) => string)[] = [
  (text) => text,
  code((unit) => `&#${unit};`),
  code((unit) => `&amp;#${unit};`),
  code((unit) => `%${unit.toString(16).padStart(2, '0')}`),
  code((unit) => `\\u${unit.toString(16).padStart(4, '0')}`),
  code((unit) => (unit > 32 && unit < 127 ? String.fromCharCode(unit + 0xfee0) : ' ')),
  code((unit) => String.fromCodePoint(0xe0000 + (unit & 127))),
  (text) => [...text].join('\u200b'),
  (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
  (text) => text.replaceAll(/\d{3}(?=\d)/g, '$&<b>').replaceAll(' ', '</b> '),
  (text) => text.replace(/ (\d+) /, ' **$1** '),
];
const piece = fc.oneof(
  fc.constantFrom(...sentences.map(({ text }) => text), ...secrets),
  fc.constantFrom(...parts.split('|')),
);
const anyText = fc
  .array(fc.tuple(piece, fc.constantFrom(...masks), fc.constantFrom('', ' ', ', ', '\n', '. ')), {
    minLength: 1,
    maxLength: 5,
  })
  .map((pieces) => pieces.map(([text, mask, end]) => mask(text) + end).join(''));

test('nothing is let through of any mix of sentences, secrets and parts of them, in masked spellings, for any kinds', () => {
  const kinds = fc.oneof(fc.constant(piiGroups.all), fc.subarray([...piiGroups.all], { minLength: 1 }));
  const cuts = fc.array(fc.nat(1_000), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(anyText, kinds, cuts, (text, wanted, at) => {
      const search = createTextSearch(
        [...wanted, 'own'],
        [{ kind: 'own', pattern: '[A-Z]{2,4}-?\\d{4,6}\\b', longest: 12 }],
      );
      expect(
        listLeaks(
          search,
          text,
          at.map((cut) => cut % (text.length + 1)),
        ),
      ).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('no more waits than the figure of a type, however long a word or a masked spelling is', () => {
  const plain = 'a|1|Aa1+|a@|1 |1.|A-|:|x://|eyJ|password=|Oak |12 Oak Lane |SK|-----BEGIN PRIVATE KEY-----'.split('|');
  for (const { types, held } of openEnds) {
    const search = createTextSearch(types, []);
    const length = 16 * Math.min(held, 2_500);
    const heldOf = (unit: string) => length - search.findOpen(unit.repeat(length).slice(0, length));
    for (const unit of plain) expect(heldOf(unit), `${types[0]}: ${unit}`).toBeLessThanOrEqual(held);
    for (const unit of ['1\u200b', '&#49;', '\u200b'])
      expect(heldOf(unit), `${types[0]}: ${unit}`).toBeLessThanOrEqual(16 * held);
  }
});
