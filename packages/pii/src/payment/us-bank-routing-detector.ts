import { weighDigits } from '../text/check-digits.ts';
import { detectDigits } from '../text/detect-digits.ts';
import { hasWordNear } from '../text/has-word-near.ts';

/** The districts that numbers are given out for. */
const district = /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;
const shapes = /^(?:9|4[ -]4[ -]1|3[ -]3[ -]3)$/;
const contextWords = /\b(?:routing|aba|rtn|transit|fedwire|ach)\b|routing_?(?:no|num)/i;

/** The checksum of the American Bankers Association. */
function passesAba(digits: string): boolean {
  const sum = weighDigits(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]);
  return sum > 0 && sum % 10 === 0;
}

/** Finds US routing numbers. One in ten numbers of nine digits passes the checksum, so a word nearby must say what it is. */
export const usBankRoutingDetector = detectDigits('us_bank_routing', { min: 9, max: 9, maxGroups: 3 }, (window) => {
  if (window.touchesBefore || window.touchesAfter || !shapes.test(window.shape)) return false;
  const { text, start, end, digits } = window;
  return district.test(digits) && passesAba(digits) && hasWordNear(text, start, end, contextWords, 48, 24);
});
