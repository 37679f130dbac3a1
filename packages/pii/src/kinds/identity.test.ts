import { describe, expect, test } from 'vitest';
import { createPiiFinder } from '../find-pii.ts';

const find = createPiiFinder();
const found = (text: string, type: string) =>
  find(text).flatMap((finding) => (finding.type === type ? [text.slice(finding.start, finding.end)] : []));

describe('us_ssn', () => {
  test.each([
    ['My SSN is 457-55-5463.', '457-55-5463'],
    ['number 212 09 9998 on file', '212 09 9998'],
    ['social security number: 219099998', '219099998'],
    ['born 05/12/1980 219-09-9998', '219-09-9998'],
  ])('%s', (text, ssn) => expect(found(text, 'us_ssn')).toEqual([ssn]));

  test.each([
    ...['000-12-3456', '666-12-3456', '900-12-3456', '999-12-3456', '123-00-4567', '123-45-0000', '111-11-1111'],
    ...['078-05-1120', '219-09-9999', '123-45-6789', '219099998', '219-09-99981', '1-219-09-9998', 'A219-09-9998'],
    ...['219-09-9998-1', '219.09.9998', '21-909-9998'],
  ])('not %s', (text) => expect(found(`ref ${text} end`, 'us_ssn')).toEqual([]));
});

describe('passport', () => {
  test.each([
    ['my passport number is 340020013', '340020013'],
    ['Passport No: E12345678.', 'E12345678'],
    ['Reisepass C01X00T47', 'C01X00T47'],
    ['passeport français 12AB34567', '12AB34567'],
    ['she gave AB1234567 as her passport', 'AB1234567'],
  ])('%s', (text, number) => expect(found(text, 'passport')).toEqual([number]));

  test.each([
    'passport-local 1.0.0 and passport 0.7.0',
    'order 340020013 has left',
    'the passport office opens at 09:00 in room 12',
    'password 340020013',
    'passport photos cost 15 in store 1234',
    'passport C01X00T47C01X00T47',
  ])('not in: %s', (text) => expect(found(text, 'passport')).toEqual([]));

  const first = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<';
  const second = 'L898902C36UTO7408122F1204159ZE184226B<<<<<10';
  test('the lines that machines read', () => {
    expect(found(`scan:\n${first}\n${second}\nend`, 'passport')).toEqual([`${first}\n${second}`]);
  });
  test.each([9, 19, 27, 43])('not where the digit at %i is wrong', (at) => {
    const wrong = second.slice(0, at) + String((Number(second[at]) + 1) % 10) + second.slice(at + 1);
    expect(found(`scan:\n${first}\n${wrong}\nend`, 'passport')).toEqual([]);
  });
});

describe('date_of_birth', () => {
  test.each([
    ['She was born on 2/8/1935.', '2/8/1935'],
    ['DOB: 1980-02-29', '1980-02-29'],
    ['D.O.B. 03.04.75', '03.04.75'],
    ['Date of birth: May 7, 1980', 'May 7, 1980'],
    ['born in Leeds on 7th of May 1980', '7th of May 1980'],
    ['geboren am 3. März 1961 in Ulm', '3. März 1961'],
    ['Née le 14 juillet 1989', '14 juillet 1989'],
    ['fecha de nacimiento: 5 de enero de 1990', '5 de enero de 1990'],
    ['生年月日 1990年5月3日', '1990年5月3日'],
    ['"date_of_birth": "1999-12-31"', '1999-12-31'],
  ])('%s', (text, date) => expect(found(text, 'date_of_birth')).toEqual([date]));

  test.each([
    'The meeting is on 2/8/2035.',
    'born on 31/02/1980',
    'DOB: 1981-02-29',
    'a stubborn bug of 2/8/2020',
    'DOB on file, member 4711, since 2/8/2020',
    'born 12.34.5678',
    'Born to Run (1975) sold 6 million',
  ])('not in: %s', (text) => expect(found(text, 'date_of_birth')).toEqual([]));
});
