import type { Detector } from '../detector.ts';
import { isDigit, isWordUnit, matchAt } from '../text/characters.ts';
import { isCalendarDate } from '../text/check-digits.ts';
import { visitNumbers } from './detect-digits.ts';

const months = [
  /^(?:jan|ene|gen|led|sty|sij)/i,
  /^(?:feb|f[ée]v|[úu]no|lut)/i,
  /^(?:mar|m[äa]r|maa|b[řr]e)/i,
  /^(?:apr|avr|abr|dub|kwi|huh)/i,
  /^(?:may|mai|maj|mag|mei|kv[ěe]|tou)/i,
  /^(?:jun|juin|giu|[čc]erven|cze|kes)/i,
  /^(?:jul|juil|lug|lip|hei)/i,
  /^(?:aug|ao[uû]|ago|srp|sie|elo)/i,
  /^(?:sep|set|z[áa][řr]|wrz|syy)/i,
  /^(?:oct|okt|out|ott|paź|[řr][íi]j|lok)/i,
  /^(?:nov|lis)/i,
  /^(?:dec|dez|d[ée]c|dic|pro|gru|jou)/i,
] as const;

const numeric = /(\d{1,2})([-./]) ?(\d{1,2})\2 ?(\d{4}|\d\d)/y;
const yearFirst = /(\d{4})([-./])(\d{1,2})\2(\d{1,2})/y;
const dayFirst = /(\d{1,2})(?:st|nd|rd|th|\.|º)?(?: of| de)? (\p{L}{3,12})\.?,?(?: de)? (\d{4})/uy;
const asian = /(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]/y;
const monthBefore = /(\p{L}{3,12})\.? $/u;
const restOfMonthFirst = /(\d{1,2})(?:st|nd|rd|th)?,? (\d{4})/y;

const words =
  /\bborn\b|\bd\.?o\.?b\b|\bbirth ?-?(?:date|day)|\bdate[ _-]of[ _-]birth|\bbirth[_ ]?date|\bgeboren|\bgeb\.|geburts(?:datum|tag)|\bn[ée]e? le\b|date de naissance|fecha de nacimiento|\bnacid[oa]|\bnaci[óo] el|data di nascita|\bnat[oa] il\b|\bnascid[oa]|data de nascimento|geboortedatum|f[øö]dt?\b|f[øö]dsels?dat|f[öo]delsedatum|syntynyt|syntym[äa]|data urodzenia|urodzon[ya]|datum narozen|рожден|родил|生年月日|出生|생년월일/i;

const reach = 48;

/** Finds dates of birth: a day that exists, in a usual form, behind words for it with no other number between. */
export const dateOfBirthDetector: Detector = {
  types: ['date_of_birth'],
  needs: /\d{4}|\d([-./]) ?\d{1,2}\1 ?\d\d/,
  find({ value }, report) {
    visitNumbers(value, (start, end) => {
      if (!mayBeginDate(value, start, end) || isWordUnit(value.charCodeAt(start - 1))) return;
      const found = findDate(value, start, end - start);
      if (found === null || isWordUnit(value.charCodeAt(found.end))) return;
      const before = value.slice(Math.max(0, found.start - reach), found.start);
      const behindLastNumber = before.slice(before.search(/\d[^\d]*$/) + 1);
      if (words.test(behindLastNumber)) report('date_of_birth', found.start, found.end);
    });
  },
};

function mayBeginDate(text: string, start: number, end: number): boolean {
  const behind = text.charAt(end);
  if (end - start === 4)
    return (text[start] === '1' || text[start] === '2') && behind !== '' && '-./ 年년'.includes(behind);
  if (end - start > 2 || (end - start === 2 && text.charCodeAt(start) > 51)) return false;
  // "May 7, 1980" is the one form whose day has digits behind a space.
  if (behind === ' ' && isDigit(text.charCodeAt(end + 1))) return isWordUnit(text.charCodeAt(start - 2));
  return behind !== '' && ' -./,snrtº'.includes(behind);
}

function findDate(text: string, at: number, length: number): { start: number; end: number } | null {
  if (length === 4) {
    const [, year, , month, day] = matchAt(yearFirst, text, at) ?? [];
    if (isBirthDay(year, month, day)) return { start: at, end: yearFirst.lastIndex };
    const [, year2, month2, day2] = matchAt(asian, text, at) ?? [];
    return isBirthDay(year2, month2, day2) ? { start: at, end: asian.lastIndex } : null;
  }
  const [, first, , second, year] = matchAt(numeric, text, at) ?? [];
  if (isBirthDay(year, second, first) || isBirthDay(year, first, second)) return { start: at, end: numeric.lastIndex };
  const [, day, month, ofYear] = matchAt(dayFirst, text, at) ?? [];
  if (isBirthDay(ofYear, month, day)) return { start: at, end: dayFirst.lastIndex };
  const name = monthBefore.exec(text.slice(Math.max(0, at - 14), at));
  if (name === null) return null;
  const [, dayBehind, yearBehind] = matchAt(restOfMonthFirst, text, at) ?? [];
  return isBirthDay(yearBehind, name[1], dayBehind)
    ? { start: at - name[0].length, end: restOfMonthFirst.lastIndex }
    : null;
}

/** Whether the day exists and somebody alive or remembered may be born on it. The month is a number or a name. */
function isBirthDay(year?: string, month?: string, day?: string): boolean {
  if (year === undefined || month === undefined || day === undefined) return false;
  const number = /^\d/.test(month) ? Number(month) : months.findIndex((name) => name.test(month)) + 1;
  const ofYear = Number(year);
  return (year.length === 2 || (ofYear >= 1850 && ofYear < 2100)) && isCalendarDate(ofYear, number, Number(day));
}
