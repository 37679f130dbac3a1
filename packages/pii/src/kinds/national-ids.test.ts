import fc from 'fast-check';
import { stdnum } from 'stdnum';
import { describe, expect, test } from 'vitest';
import { createPiiFinder } from '../find-pii.ts';
import type { PiiType } from '../pii-types.ts';
import { digitIds } from './digit-ids.ts';
import { letteredIds } from './lettered-ids.ts';

const find = createPiiFinder();
const typesIn = (text: string) => find(text).map(({ type }) => type);

/** Examples published by states, their offices and encyclopedias, and texts that contain them. */
const published: readonly [PiiType, string, string][] = [
  ['national_id_au', 'My TFN is', '123 456 782'],
  ['national_id_be', 'Zie', '85.07.30-033.28'],
  ['national_id_be', 'rijksregisternummer', '85073003328'],
  ['national_id_bg', 'ЕГН', '7523169263'],
  ['national_id_br', 'see', '390.533.447-05'],
  ['national_id_br', 'CPF', '39053344705'],
  ['national_id_ca', 'SIN', '123 456 782'],
  ['national_id_ca', 'social insurance number', '130692544'],
  ['national_id_ch', 'Nr.', '756.9217.0769.85'],
  ['national_id_ch', 'AHV-Nr', '7569217076985'],
  ['national_id_cl', 'la cuenta de', '12.531.909-2'],
  ['national_id_cl', 'su RUT', '12531909-2'],
  ['national_id_cn', 'see', '11010519491231002X'],
  ['national_id_cn', '身份证', '360426199101010071'],
  ['national_id_cz', 'pan', '710319/2745'],
  ['national_id_de', 'Nummer', '36 574 261 809'],
  ['national_id_de', 'Steuer-ID:', '36574261809'],
  ['national_id_dk', 'CPR', '211062-5629'],
  ['national_id_ee', 'isikukood', '36805280109'],
  ['national_id_es', 'el', '54362315K'],
  ['national_id_es', 'doña', 'X2482300W'],
  ['national_id_es', 'NIE', 'X-2482300-W'],
  ['national_id_fi', 'hetu', '311280-888Y'],
  ['national_id_fi', 'hetu', '131052-308T'],
  ['national_id_fr', 'le', '2 95 10 99 126 111 93'],
  ['national_id_fr', 'né', '295109912611193'],
  ['national_id_fr', 'Ajaccio', '253072B07300470'],
  ['national_id_gb', 'NHS number', '943 476 5870'],
  ['national_id_gb', 'patient', 'HH 01 02 03 D'],
  ['national_id_gb', 'National Insurance number', 'HH010203D'],
  ['national_id_ie', 'PPS No', '6433435F'],
  ['national_id_ie', 'PPSN', '6433435OA'],
  ['national_id_in', 'see', '2341 2341 2346'],
  ['national_id_in', 'Aadhaar', '234123412346'],
  ['national_id_it', 'CF', 'RCCMNL83S18D969H'],
  ['national_id_jp', 'マイナンバー', '123456789018'],
  ['national_id_kr', '주민등록번호', '971013-9019902'],
  ['national_id_mx', 'clave', 'BOXW310820HNERXN09'],
  ['national_id_nl', 'BSN', '111222333'],
  ['national_id_no', 'Ola har', '15108695088'],
  ['national_id_no', 'Ola har', '151086 95088'],
  ['national_id_pl', 'PESEL', '44051401359'],
  ['national_id_pt', 'NIF', '232 013 969'],
  ['national_id_ro', 'CNP', '1630615123457'],
  ['national_id_se', 'hon är', '880320-0016'],
  ['national_id_se', 'hon är', '19880320-0016'],
  ['national_id_se', 'personnummer', '8803200016'],
  ['national_id_tr', 'TCKN', '17291716060'],
  ['national_id_za', 'ID number', '7503305044089'],
  ['national_id_za', 'she gave', '750330 5044 089'],
];

/** The same with the digit or letter at the end replaced by the next. */
const spoil = (id: string) =>
  id.slice(0, -1) +
  (/\d/.test(id.at(-1) as string) ? String((Number(id.at(-1)) + 1) % 10) : id.endsWith('A') ? 'B' : 'A');

describe('published examples', () => {
  test.each(published)('%s: %s %s', (type, before, id) => {
    const text = `${before} ${id}, sent today`;
    expect(find(text)).toEqual([{ type, start: text.indexOf(id), end: text.indexOf(id) + id.length }]);
  });

  test.each(published.filter(([type, , id]) => type !== 'national_id_dk' && !/^HH/.test(id)))(
    '%s: not with another character at the end: %s %s',
    (type, before, id) => expect(typesIn(`${before} ${spoil(id)}, sent today`)).not.toContain(type),
  );

  test.each(published)('%s: not as a part of something longer: %s %s', (type, before, id) => {
    expect(typesIn(`${before} x${id}x`)).not.toContain(type);
    expect(typesIn(`${before} 7${id}7`)).not.toContain(type);
  });

  test('every type has one', () => {
    const types = [...digitIds, ...letteredIds].map(({ type }) => type);
    expect(new Set(published.map(([type]) => type))).toEqual(new Set(types));
  });
});

test('digits without their grouping need a word', () => {
  for (const digits of ['39053344705', '36574261809', '111222333', '44051401359', '17291716060', '7503305044089']) {
    expect(typesIn(`order ${digits} has left`).filter((type) => type.startsWith('national_id'))).toEqual([]);
  }
});

test.each([
  'Fan speeds ( 3552 3534 3375 4530 3515 3479 )',
  'logname= uid=0 euid=0 ruser= rhost=209.152.168.249  user=guest',
  'uid=0 session 453035153479',
])('no national number: %j', (text) => {
  expect(typesIn(text).filter((type) => type.startsWith('national_id'))).toEqual([]);
});

/** Ids for which the library has the same rules; of others it refuses dates in the future, or accepts numbers without a date. */
const libraryNames = {
  national_id_au: 'AU.tfn',
  national_id_br: 'BR.cpf',
  national_id_ca: 'CA.sin',
  national_id_bg: 'BG.egn',
  national_id_ch: 'CH.ssn',
  national_id_de: 'DE.idnr',
  national_id_ee: 'EE.ik',
  national_id_fr: 'FR.nir',
  national_id_in: 'IN.aadhaar',
  national_id_nl: 'NL.bsn',
  national_id_pt: 'PT.nif',
  national_id_tr: 'TR.tckimlik',
  national_id_za: 'ZA.idnr',
} as const;

/** Digits whose date is right more often than by chance. */
const anyDigits = (length: number) =>
  fc
    .tuple(
      fc.stringMatching(new RegExp(`^[0-9]{${length}}$`)),
      fc.constantFrom(0, 1),
      fc.stringMatching(/^[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|1[0-9]|2[0-8])$/),
    )
    .map(([digits, at, date]) => digits.slice(0, at) + date + digits.slice(at + 6));

test.each(Object.entries(libraryNames))('%s: the library stdnum accepts what we accept', (type, path) => {
  const [country, name] = path.split('.') as [string, string];
  const theirs = (stdnum as Record<string, Record<string, { validate(id: string): { isValid: boolean } }>>)[country]?.[
    name
  ];
  const id = digitIds.find((one) => one.type === type);
  if (!theirs || !id) throw new Error('nothing to compare');
  const digits = fc.oneof(anyDigits(id.length), fc.stringMatching(new RegExp(`^756[0-9]{${id.length - 3}}$`)));
  let accepted = 0;
  fc.assert(
    fc.property(digits, (start) => {
      // Of all ends one or more is right, so that both answers are compared in every run.
      for (let end = 0; end < 100; end++) {
        const number = start.slice(0, -2) + String(end).padStart(2, '0');
        if (!id.check(number)) continue;
        accepted++;
        expect(theirs.validate(number).isValid, number).toBe(true);
      }
    }),
  );
  expect(accepted).toBeGreaterThan(0);
});

test('digits whose check digit is wrong are never reported, also behind the word for them', () => {
  const words = [
    'TFN',
    'rijksregisternummer',
    'ЕГН',
    'CPF',
    'SIN',
    'AHV',
    'rodné číslo',
    'Steuer-ID',
    'isikukood',
    'NIR',
    'NHS',
    'Aadhaar',
    'マイナンバー',
    '주민',
    'BSN',
    'fødselsnummer',
    'PESEL',
    'NIF',
    'CNP',
    'samordningsnummer',
    'kimlik',
    'South African ID',
  ];
  const digits = fc.array(fc.nat(9), { minLength: 15, maxLength: 15 });
  for (const { type, length, check, words: own } of digitIds) {
    if (type === 'national_id_dk') continue;
    const word = words.find((one) => own.test(one));
    expect(word, type).toBeDefined();
    fc.assert(
      fc.property(digits, (all) => {
        const number = all.slice(0, length).join('');
        fc.pre(!check(number));
        expect(typesIn(`${word} ${number} end`)).not.toContain(type);
      }),
    );
  }
});
