import { hasWordNear, isTie, isWordUnit } from '../text/characters.ts';
import { passesLuhn } from '../text/check-digits.ts';
import type { DigitRun } from '../text/digit-run.ts';
import { detectDigits } from './detect-digits.ts';

/** First digits and lengths of the cards in use. */
const issuers: readonly { prefix: RegExp; lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [13, 16, 19] }, // Visa
  { prefix: /^5[1-5]|^2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)/, lengths: [16] }, // Mastercard
  { prefix: /^3[47]/, lengths: [15] }, // American Express
  { prefix: /^3(?:0[0-59]|[689])/, lengths: [14, 16] }, // Diners Club
  { prefix: /^6(?:011|4[4-9]|5)/, lengths: [16, 17, 18, 19] }, // Discover
  { prefix: /^35/, lengths: [16] }, // JCB, whose ranges grow
  { prefix: /^(?:2131|1800)/, lengths: [15] }, // JCB, older
  { prefix: /^62/, lengths: [16, 17, 18, 19] }, // UnionPay
  { prefix: /^(?:50|5[6-8]|6304|67)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19] }, // Maestro
  { prefix: /^220[0-4]/, lengths: [16, 17, 18, 19] }, // Mir
  { prefix: /^(?:60|8[12]|508)/, lengths: [16] }, // RuPay
];

/** Any number with a right Luhn sum behind one of these words is a card. */
const cardWords = /\b(?:card|cards|cc|visa|mastercard|amex|maestro)\b/i;

/** How the digits are grouped on cards, with `-` for any one separator. */
const groupings = /^(?:1[2-9]|4-4-4-4(?:-[1-3])?|4-4-[45]|4-6-[45]|4-5-[36]|4-4-4-[1-3]|6-13|5-4-5|8-8)$/;

function isCard(window: DigitRun): boolean {
  // Nine in ten fail here, which costs least.
  if (!passesLuhn(window.text, window.start, window.end)) return false;
  const { shape } = window;
  const [separator = '-'] = /\D/.exec(shape) ?? [];
  if (separator === '/' || (separator !== '-' && shape.includes('-'))) return false;
  if (!groupings.test(shape.replaceAll(separator, '-'))) return false;
  const digits = window.digits;
  if (issuers.some(({ prefix, lengths }) => lengths.includes(digits.length) && prefix.test(digits))) return true;
  return /[1-9]/.test(digits) && hasWordNear(window.text, window.start, window.end, cardWords, 24, 0);
}

/** Whether the digits are part of something longer: a decimal fraction, a UUID, an id with a prefix. */
function belongsToMore(window: DigitRun): boolean {
  if (window.touchesBefore || window.touchesAfter) return true;
  const { text, start, end } = window;
  const after = text.charCodeAt(end);
  return (
    (isTie(text.charCodeAt(start - 1)) && isWordUnit(text.charCodeAt(start - 2))) ||
    ((after === 45 || after === 46) && isWordUnit(text.charCodeAt(end + 1)) && !isWrittenAsFloat(window))
  );
}

/** Tables write whole numbers as `4111111111111111.0` if another row of their column has none. */
const isWrittenAsFloat = ({ text, end, groupCount }: DigitRun): boolean =>
  groupCount === 1 &&
  text.startsWith('.0', end) &&
  !isTie(text.charCodeAt(end + 2)) &&
  !isWordUnit(text.charCodeAt(end + 2));

/** Finds payment cards: usual grouping, a Luhn sum that is right, and an issuer's first digits and length or a word that says card. */
export const creditCardDetector = detectDigits(
  'credit_card',
  { min: 12, max: 19, maxGroups: 5 },
  (window) => !belongsToMore(window) && isCard(window),
);
