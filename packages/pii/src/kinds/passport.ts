import type { Detector, Report } from '../detector.ts';
import { hasWordNear, isAsciiLetter, isDigit, isWordUnit, matchAt } from '../text/characters.ts';
import { digitAt } from '../text/check-digits.ts';
import { visitNumbers } from './detect-digits.ts';

const words =
  /passport|reisepass|passeport|pasaporte|passaport|paspoort|\bpaszport|\bpas nr|passnummer|passi(?:n|numero)|\bpașaport|útlevél|cestovn|διαβατ|паспорт|загранпаспорт|护照|護照|パスポート|旅券|여권/i;

const wordsBefore = 40;
const wordsAfter = 24;

const longest = 9;

/** The two lines of a passport's machine readable zone, as ICAO Doc 9303 part 4 lays them out. */
const firstLine = /P[A-Z<]{43}/y;
const secondLine = /[A-Z0-9<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}[A-Z0-9<]{14}[0-9<]\d/y;

export const passportDetector: Detector = {
  types: ['passport'],
  needs: /\d\d/,
  find({ value }, report) {
    findReadableZones(value, report);
    let seen = 0;
    visitNumbers(value, (start, end) => {
      if (start < seen || end - start > 9) return;
      const word = wordAround(value, start, end);
      seen = word.end;
      if (!isPassportNumber(value.slice(word.start, word.end))) return;
      if (hasWordNear(value, word.start, word.end, words, wordsBefore, wordsAfter)) {
        report('passport', word.start, word.end);
      }
    });
  },
};

function wordAround(text: string, start: number, end: number): { start: number; end: number } {
  const isPart = (unit: number) => isDigit(unit) || isAsciiLetter(unit);
  const least = end - longest - 1;
  while (start > least && isPart(text.charCodeAt(start - 1))) start--;
  const most = start + longest + 1;
  while (end < most && isPart(text.charCodeAt(end))) end++;
  return isWordUnit(text.charCodeAt(start - 1)) || isWordUnit(text.charCodeAt(end))
    ? { start: end, end }
    : { start, end };
}

/** Six to nine digits and capitals, more than half of them digits: the forms that states use. */
function isPassportNumber(word: string): boolean {
  if (!/^[A-Z0-9]{6,9}$/.test(word)) return false;
  return 2 * word.replaceAll(/[A-Z]/g, '').length > word.length;
}

function findReadableZones(text: string, report: Report): void {
  let next = 0;
  for (let at = text.indexOf('<<'); at !== -1; at = text.indexOf('<<', next)) {
    next = at + 44;
    for (let start = Math.max(0, at - 40); start < at; start++) {
      const end = readZone(text, start);
      if (end === null) continue;
      report('passport', start, end);
      next = end;
      break;
    }
  }
}

function readZone(text: string, start: number): number | null {
  if (text[start] !== 'P' || !matchAt(firstLine, text, start)) return null;
  const lineEnd = /^\s{0,3}/.exec(text.slice(start + 44, start + 47))?.[0] ?? '';
  const [line] = matchAt(secondLine, text, start + 44 + lineEnd.length) ?? [];
  return line !== undefined && isCheckedZone(line) ? secondLine.lastIndex : null;
}

/** Whether the number, the two dates and the line as a whole add up. */
function isCheckedZone(line: string): boolean {
  const number = line.slice(0, 10);
  const birth = line.slice(13, 20);
  const rest = line.slice(21, 43);
  return (
    passesZoneCheck(number) &&
    passesZoneCheck(birth) &&
    passesZoneCheck(line.slice(21, 28)) &&
    passesZoneCheck(number + birth + rest + line.slice(43))
  );
}

/** Whether the last digit is right by the weights 7, 3, 1 of ICAO Doc 9303 part 3. */
function passesZoneCheck(field: string): boolean {
  let sum = 0;
  for (let index = 0; index < field.length - 1; index++) {
    const unit = field.charCodeAt(index);
    const value = unit === 60 ? 0 : unit < 65 ? unit - 48 : unit - 55;
    sum += value * ([7, 3, 1][index % 3] as number);
  }
  return sum % 10 === digitAt(field, field.length - 1);
}
