import type { Detector, Report, Text } from '../detector.ts';
import type { PiiType } from '../pii-types.ts';
import { hasWordNear, isWordUnit, matchAt } from '../text/characters.ts';
import { type DigitRun, standsApart } from '../text/digit-run.ts';
import { visitNumbers } from './detect-digits.ts';
import { addressShape, digitIds } from './digit-ids.ts';
import { type LetteredId, letteredIds } from './lettered-ids.ts';

/** How far from a number the words for it may be, in UTF-16 units. */
const wordsBefore = 60;
const wordsAfter = 24;

const byLength = Map.groupBy(digitIds, ({ length }) => length);
const shortest = Math.min(...byLength.keys());
const longest = Math.max(...byLength.keys());
const byFirstDigits = Map.groupBy(letteredIds, ({ firstDigits }) => firstDigits);

/** A French number has the most groups, `1 85 05 78 006 084 36`. */
const maxGroups = 7;

/** Finds national numbers of people by their check digits. */
export const nationalIdDetector: Detector = {
  types: [...new Set<PiiType>([...digitIds, ...letteredIds].map(({ type }) => type))],
  needs: /\d/,
  find(text, report) {
    for (const run of text.digitRuns()) {
      const visit = (window: DigitRun): boolean => standsApart(window) && findDigitId(text, window, report);
      run.visitWindows(shortest, longest, visit, maxGroups);
    }
    visitNumbers(text.value, (start, end) => {
      for (const id of byFirstDigits.get(end - start) ?? []) findLetteredId(text, id, start, report);
    });
  },
};

/** Among further numbers of four digits, as measured values are. */
const isInRow = (text: string, { start, end, shape }: DigitRun): boolean =>
  shape === '4 4 4' &&
  (/(?<!\d)\d{4} $/.test(text.slice(Math.max(0, start - 6), start)) || /^ \d{4}(?!\d)/.test(text.slice(end, end + 6)));

function findDigitId(text: Text, window: DigitRun, report: Report): boolean {
  const { digits, start, end } = window;
  if (addressShape.test(window.shape)) return false;
  let found = false;
  for (const { type, check, shapes, words } of byLength.get(digits.length) ?? []) {
    if (!check(digits)) continue;
    const isShaped = shapes.includes(window.shape) && !isInRow(text.value, window);
    if (!isShaped && !hasWordNear(text.value, start, end, words, wordsBefore, wordsAfter)) continue;
    report(type, start, end);
    found = true;
  }
  return found;
}

function findLetteredId(
  { value }: Text,
  { type, before, pattern, check, words }: LetteredId,
  at: number,
  report: Report,
) {
  if (before > 0 && !mayEndLetters(value.charCodeAt(at - 1))) return;
  // The separator behind the letters is optional, so the start may be anywhere up to `before` units away.
  for (let start = at - before; start <= at; start++) {
    if (start < 0 || isWordUnit(value.charCodeAt(start - 1))) continue;
    const [id] = matchAt(pattern, value, start) ?? [];
    if (id === undefined) continue;
    const end = pattern.lastIndex;
    if (isWordUnit(value.charCodeAt(end)) || !check(id.replaceAll(/[ .-]/g, '').toUpperCase())) continue;
    if (words && !hasWordNear(value, start, end, words, wordsBefore, wordsAfter)) continue;
    report(type, start, end);
    return;
  }
}

/** Capital letters, and the separators between them and the digits. */
const mayEndLetters = (unit: number): boolean => (unit >= 65 && unit <= 90) || unit === 32 || unit === 45;
