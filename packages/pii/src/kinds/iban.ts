import type { Detector } from '../detector.ts';
import { isAsciiLetter, isDigit, isWordUnit } from '../text/characters.ts';

/** The length of each country's IBAN, from the SWIFT registry. */
const lengths = new Map<string, number>(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 ' +
    'GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 ' +
    'MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 ' +
    'SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Base64 passes the checksum by chance now and then; it changes case more often than a bank code does. */
const maxChanges = 5;

function looksLikeBase64(text: string): boolean {
  const letters = text.replaceAll(/\d/g, '');
  let changes = 0;
  for (let at = 1; at < letters.length; at++) {
    if ((letters.charCodeAt(at) ^ letters.charCodeAt(at - 1)) & 32) changes += 1;
  }
  return changes > maxChanges;
}

const isSpace = (unit: number): boolean => unit === 32 || unit === 0xa0 || unit === 0x202f || unit === 45;

/** The remainder by 97, which ISO 7064 requires to be 1: letters count as 10 to 35, and the first four characters go last. */
function remainderOf(iban: string): number {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

/** Finds account numbers of the countries in the registry, in one piece or in groups, whose check digits are right. */
export const ibanDetector: Detector = {
  types: ['iban'],
  needs: /(?<=[A-Za-z]{2})\d\d/,
  find({ value }, report) {
    // Begins with the check digits, since a text has fewer digits than letters.
    const checkDigits = /(?<=(?<![A-Za-z0-9_])[A-Za-z]{2})\d\d/g;
    for (let match = checkDigits.exec(value); match; match = checkDigits.exec(value)) {
      const start = match.index - 2;
      const length = lengths.get(value.slice(start, start + 2).toUpperCase());
      if (!length) continue;
      let iban = '';
      let end = start;
      for (; iban.length < length; end++) {
        const unit = value.charCodeAt(end);
        if (isDigit(unit) || isAsciiLetter(unit)) iban += value.charAt(end);
        else if (!isSpace(unit) || isSpace(value.charCodeAt(end - 1))) break;
      }
      if (iban.length !== length || looksLikeBase64(iban) || isWordUnit(value.charCodeAt(end))) continue;
      if (remainderOf(iban) === 1) {
        report('iban', start, end);
        checkDigits.lastIndex = end;
      }
    }
  },
};
